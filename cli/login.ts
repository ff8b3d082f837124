import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { CliConfig } from './config.ts';
import { Failure } from './failure.ts';

const loginSchema = z.object({ url: z.url(), token: z.string().min(1) });

/** Whom the command line speaks to, and as whom. */
export type Login = z.infer<typeof loginSchema>;

/** Where a service started on this machine listens unless told otherwise. */
export const localUrl = 'http://127.0.0.1:8080';

/**
 * The login in force: environment first, then the saved file. Without a token only public things can be read.
 *
 * throws  Failure('usage') when the saved file can't be read as a login.
 */
export async function currentLogin(
  config: CliConfig,
): Promise<{ readonly url: string; readonly token: string | null }> {
  const saved = await savedLogin(config);
  const url = config.url ?? saved?.url ?? localUrl;
  const sameService = saved !== null && new URL(saved.url).origin === new URL(url).origin;
  return { url: url.replace(/\/+$/, ''), token: config.token ?? (sameService ? saved.token : null) };
}

async function savedLogin(config: CliConfig): Promise<Login | null> {
  let text: string;
  try {
    text = await readFile(config.loginFile, 'utf8');
  } catch {
    return null;
  }
  try {
    return loginSchema.parse(JSON.parse(text));
  } catch {
    throw new Failure(
      'usage',
      'login.unreadable',
      `${config.loginFile} is not a saved login; run vtb login again`,
    );
  }
}

/** Keeps a login for later commands, readable by this user alone. */
export async function saveLogin(login: Login, config: CliConfig): Promise<void> {
  await mkdir(dirname(config.loginFile), { recursive: true, mode: 0o700 });
  const next = `${config.loginFile}.next`;
  await writeFile(next, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, config.loginFile);
}

/** Forgets the saved login. Nothing to forget is fine. */
export async function forgetLogin(config: CliConfig): Promise<void> {
  await rm(config.loginFile, { force: true });
}

/**
 * The token of the owner of a service that was started from this machine's data folder.
 *
 * throws  Failure('refused') when there is none there.
 */
export async function ownerToken(config: CliConfig): Promise<string> {
  const file = join(config.dataDir, 'owner.token');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    throw new Failure(
      'refused',
      'login.noOwnerToken',
      `no owner token at ${file}: start the service here first, or set VTB_DATA`,
    );
  }
}
