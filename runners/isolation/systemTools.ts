import { accessSync, constants } from 'node:fs';

const folders = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];

/** Absolute paths of the util-linux and coreutils programs a box is made with; null where one is missing. */
export type SystemTools = {
  readonly unshare: string | null;
  readonly setpriv: string | null;
  readonly prlimit: string | null;
  readonly sh: string | null;
  readonly chroot: string | null;
  readonly mount: string | null;
};

/** Looks in the system's own folders only: PATH could lead to a program of somebody else. */
export function systemTools(): SystemTools {
  const find = (name: string) => folders.map((f) => `${f}/${name}`).find(isExecutable) ?? null;
  return {
    unshare: find('unshare'),
    setpriv: find('setpriv'),
    prlimit: find('prlimit'),
    sh: find('sh'),
    chroot: find('chroot'),
    mount: find('mount'),
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
