import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, canEnter } from './account.ts';

/**
 * The folder that holds the cluster's files: the data folder itself, or, when the server's account can't enter
 * that one, a folder of its own under `fallbackRoot`, remembered by the link `elsewhere` in the data folder.
 *
 * Only root ever needs the second form (a data folder under /root, say): everybody else runs the server as
 * themselves.
 */
export async function clusterHome(account: Account, dataDir: string, fallbackRoot: string): Promise<string> {
  const link = join(dataDir, 'elsewhere');
  if (existsSync(link)) return readlink(link);
  // Others may pass through but not list: the cluster inside is 0700 and the server's own.
  if (account.uid !== undefined) await chmod(dataDir, 0o711);
  if (await canEnter(account, dataDir)) return dataDir;
  const home = join(fallbackRoot, `vtb-postgres-${randomBytes(6).toString('hex')}`);
  await mkdir(home, { recursive: true, mode: 0o711 });
  if (!(await canEnter(account, home))) {
    throw new Error(
      `the account ${account.uid} can enter neither ${dataDir} nor ${home}; set VTB_DATA to a folder it can enter`,
    );
  }
  await symlink(home, link);
  return home;
}
