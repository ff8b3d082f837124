import { dirname } from 'node:path';
import { type MountEntry, mountsOf } from './mountTable.ts';

/** What a box's file system is made of; every path absolute, without `..`, and real (no symlinks). */
export type BoxFiles = {
  /** An empty folder that the new root is mounted over; outside the box it stays empty. */
  readonly rootDir: string;
  /** Seen at the same path, read-only. */
  readonly readOnly: readonly { readonly path: string; readonly isFolder: boolean }[];
  /** Seen at the same path, writable, nothing executable or setuid in it; null for a box that writes nothing. */
  readonly writableDir: string | null;
  /** Top-level links to repeat, such as /lib → usr/lib. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
};

/**
 * The shell script that makes a private root and becomes the command in `"$@"` inside it.
 *
 * It runs in a fresh mount and pid namespace. The new root is an empty tmpfs in which only the listed paths
 * exist, so folders above them are traversable for any uid, and nothing else of the host can be read: that is
 * how a child of another uid starts from a clone under /root. The tmpfs ends up read-only; /proc shows the
 * box's own processes only.
 */
export function boxScript(
  files: BoxFiles,
  tools: { mount: string; chroot: string },
  table: readonly MountEntry[],
): string {
  const at = (path: string) => quote(files.rootDir + path);
  const bind = (path: string, isFolder: boolean, flags: readonly string[]): string[] => {
    const target = isFolder ? `mkdir -p ${at(path)}` : `mkdir -p ${at(dirname(path))} && : > ${at(path)}`;
    const remounts = mountsOf(path, table).map(
      (m) =>
        `${tools.mount} -o remount,bind,${[...new Set([...flags, ...m.flags])].join(',')} ${at(m.point)}`,
    );
    return [target, `${tools.mount} --rbind ${quote(path)} ${at(path)}`, ...remounts];
  };
  return [
    'set -eu',
    'umask 022',
    // 1 MiB holds mount points only; nothing inside can write to it after the remount below.
    `${tools.mount} -t tmpfs -o size=1m,mode=0755,nosuid,nodev box ${quote(files.rootDir)}`,
    ...files.links.map((l) => `ln -s ${quote(l.target)} ${at(l.path)}`),
    ...files.readOnly.flatMap((p) => bind(p.path, p.isFolder, ['ro', 'nosuid', 'nodev'])),
    ...(files.writableDir === null ? [] : bind(files.writableDir, true, ['nosuid', 'nodev', 'noexec'])),
    `mkdir -p ${at('/dev')} ${at('/proc')}`,
    ...['null', 'zero', 'urandom', 'random'].flatMap((d) => [
      `: > ${at(`/dev/${d}`)}`,
      `${tools.mount} --bind /dev/${d} ${at(`/dev/${d}`)}`,
    ]),
    `${tools.mount} -t proc -o nosuid,nodev,noexec proc ${at('/proc')}`,
    `${tools.mount} -o remount,bind,ro,nosuid,nodev ${quote(files.rootDir)}`,
    // Shells set and export these by themselves.
    'unset PWD OLDPWD SHLVL _',
    `exec ${tools.chroot} ${quote(files.rootDir)} "$@"`,
  ].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
