import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The system account that runs the server: undefined ids mean this process's own. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Postgres refuses to run as root, so root runs it as the account that owns nothing (65534, nobody). */
export function serverAccount(): Account {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
}

/** Whether the account can enter a folder; asked of the system itself, because ACLs and mounts count too. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...account, cwd: '/', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

const run = promisify(execFile);
