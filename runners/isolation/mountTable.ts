/** One line of /proc/self/mountinfo, as far as a read-only bind needs it. */
export type MountEntry = { readonly point: string; readonly flags: readonly string[] };

/** Flags that a user namespace may not drop when it remounts what it inherited. */
const lockedFlags = new Set(['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime']);

/** Parses /proc/self/mountinfo (proc(5)); octal escapes in paths are decoded. */
export function parseMountTable(text: string): readonly MountEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const fields = line.split(' ');
      const point = (fields[4] ?? '').replace(/\\([0-7]{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      );
      return { point, flags: (fields[5] ?? '').split(',') };
    });
}

/**
 * The mounts that a recursive bind of `path` brings along: the one it lies on (as `path` itself) and every
 * one below it, each with the flags a remount must repeat.
 */
export function mountsOf(path: string, table: readonly MountEntry[]): readonly MountEntry[] {
  const holder = table
    .filter((m) => isInside(path, m.point))
    .sort((a, b) => b.point.length - a.point.length)[0];
  const below = table.filter((m) => m.point !== path && isInside(m.point, path));
  return [{ point: path, flags: holder?.flags ?? [] }, ...below].map((m) => ({
    point: m.point,
    flags: m.flags.filter((f) => lockedFlags.has(f)),
  }));
}

function isInside(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}
