import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Access, roles } from './access.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';

/**
 * Makes the cluster if it isn't there and returns its folder.
 *
 * initdb works beside the final place and the result is renamed into it, so a killed first start leaves nothing
 * that looks like a cluster. Collation is the server's own C.UTF-8: the same order on every machine.
 */
export async function ensureCluster(
  home: string,
  access: Access,
  account: Account,
  binaries: Binaries,
): Promise<string> {
  const cluster = join(home, 'cluster');
  if (existsSync(cluster)) return cluster;
  const work = await mkdtemp(join(home, 'initdb-'));
  const staging = join(home, 'cluster.new');
  try {
    await rm(staging, { recursive: true, force: true });
    const passwordFile = join(work, 'password');
    await writeFile(passwordFile, `${access.passwords.superuser}\n`, { mode: 0o600 });
    await own(account, work, passwordFile);
    if (account.uid !== undefined) await makeOwned(account, staging);
    await initialise(binaries.initdb, staging, passwordFile, { ...account, cwd: work });
    await rename(staging, cluster);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return cluster;
}

/** All that the server's processes see of the environment. */
export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const run = promisify(execFile);

async function initialise(
  initdb: string,
  folder: string,
  passwordFile: string,
  where: Account & { readonly cwd: string },
): Promise<void> {
  const login = [`--username=${roles.superuser}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const text = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', folder, '--no-instructions', ...login, ...text];
  try {
    await run(initdb, args, { ...where, env: serverEnvironment, timeout: 120_000 });
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    const hint = said.includes('user does not exist')
      ? '; Postgres needs an account with an entry in /etc/passwd: use one, or give DATABASE_URL and VAULT_DATABASE_URL'
      : '';
    throw new Error(`the embedded Postgres could not be set up: ${said}${hint}`, { cause });
  }
}

async function makeOwned(account: Account, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await own(account, folder);
}

async function own(account: Account, ...paths: readonly string[]): Promise<void> {
  const { uid, gid } = account;
  if (uid === undefined || gid === undefined) return;
  for (const path of paths) await chown(path, uid, gid);
}
