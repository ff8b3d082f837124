import { mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const socketsPrefix = 'vtb-r-';
const socketsName = 'sockets';

/**
 * Makes a replay's folder and returns the folder for its sockets, which lies in the system's temporary folder because
 * paths of sockets are bounded; a link in the replay's folder says where, so that a later start finds it.
 */
export async function makeReplayFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const sockets = await mkdtemp(join(tmpdir(), socketsPrefix));
  await symlink(sockets, join(folder, socketsName));
  return sockets;
}

/** Removes a replay's folder and its sockets; what isn't there is gone already. */
export async function removeReplayFolder(folder: string): Promise<void> {
  const sockets = await readlink(join(folder, socketsName)).catch(() => null);
  if (sockets !== null && isSocketsFolder(sockets)) await rm(sockets, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

/** Removes what an earlier runner left in the work folder. */
export async function sweepWorkFolder(workDir: string): Promise<readonly string[]> {
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  const left = await readdir(workDir);
  for (const name of left) await removeReplayFolder(join(workDir, name));
  return left;
}

/** Only what makeReplayFolder made is ever removed outside the work folder. */
function isSocketsFolder(path: string): boolean {
  return dirname(path) === tmpdir() && path.startsWith(join(tmpdir(), socketsPrefix));
}
