import { groupDigits } from './groupDigits.ts';
import { systemLimits } from './limits.ts';

const encoder = new TextEncoder();

/**
 * Everything that keeps a path from meaning the same file on every machine, as clauses that follow the
 * path's name ("has a '..' part"); empty when the path is portable.
 *
 * Portable: relative, forward slashes, well-formed NFC UTF-8 of at most 200 bytes and 16 parts; no control,
 * invisible, direction-changing or private-use characters; nothing Windows refuses or rewrites; no part
 * that starts with "-" (programs would read it as an option).
 */
export function pathFaults(path: string): string[] {
  const faults: string[] = [];
  if (!path.isWellFormed()) return ['is not well-formed Unicode'];
  const bytes = encoder.encode(path).length;
  if (bytes > systemLimits.pathBytesMax) {
    faults.push(`has ${groupDigits(bytes)} bytes, more than ${systemLimits.pathBytesMax}`);
  }
  if (path.normalize('NFC') !== path) faults.push('is not in Unicode normal form C');
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(path)) {
    faults.push('has a control, invisible, private-use or unassigned character');
  }
  const character = /[<>:"|?*\\]/.exec(path)?.[0];
  if (character !== undefined)
    faults.push(`has the character ${character}, which not every system can store`);
  const parts = path.split('/');
  if (parts.length > systemLimits.pathDepthMax) {
    faults.push(`has ${groupDigits(parts.length)} parts, more than ${systemLimits.pathDepthMax}`);
  }
  // The bound keeps a path of a million slashes from giving a million clauses.
  for (const fault of new Set(parts.slice(0, systemLimits.pathDepthMax).flatMap(partFaults)))
    faults.push(fault);
  return faults;
}

/** Device names that Windows opens whatever follows them after a dot; ¹²³ count as digits there. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?: *\.|$)/i;

function partFaults(part: string): string[] {
  if (part === '') return ['has an empty part (a leading, doubled or trailing slash)'];
  if (part === '.' || part === '..') return [`has a "${part}" part`];
  const faults: string[] = [];
  if (/[. ]$/.test(part)) faults.push('has a part that ends in a dot or space');
  if (/^[ -]/.test(part)) faults.push('has a part that starts with a space or "-"');
  if (deviceName.test(part)) faults.push('has a part that is a device name on Windows');
  return faults;
}

/** Two paths that some file system would store as one, or of which one is a folder of the other. */
export interface PathCollision {
  readonly path: string;
  readonly other: string;
}

/**
 * Paths that collide with an earlier one when letter case and compatibility forms are ignored: equal files,
 * a file that another path needs as its folder, and one folder spelled in two ways.
 */
export function pathCollisions(paths: readonly string[]): PathCollision[] {
  const files = new Map<string, string>();
  const folders = new Map<string, { readonly spelling: string; readonly path: string }>();
  const collisions: PathCollision[] = [];
  for (const path of paths) {
    const key = folded(path);
    const other = files.get(key) ?? folders.get(key)?.path ?? folderCollision(path, files, folders);
    if (other !== undefined) collisions.push({ path, other });
    else files.set(key, path);
  }
  return collisions;
}

function folderCollision(
  path: string,
  files: ReadonlyMap<string, string>,
  folders: Map<string, { readonly spelling: string; readonly path: string }>,
): string | undefined {
  // Depth is bounded here too, so that unchecked paths can't make this quadratic.
  const parts = path.split('/', systemLimits.pathDepthMax + 1);
  for (let depth = 1; depth < parts.length; depth += 1) {
    const spelling = parts.slice(0, depth).join('/');
    const key = folded(spelling);
    const known = folders.get(key);
    const other =
      files.get(key) ?? (known !== undefined && known.spelling !== spelling ? known.path : undefined);
    if (other !== undefined) return other;
    if (known === undefined) folders.set(key, { spelling, path });
  }
  return undefined;
}

/** Upper then lower case folds also ß and final sigma; over-strict is safe here. */
function folded(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}
