import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '@vtb/protocol/errors.ts';
import { systemLimits } from '@vtb/protocol/system/limits.ts';
import type { FileRole } from '@vtb/protocol/system/manifest.ts';

/** A regular file of a system's folder. */
export interface FoundFile {
  readonly path: string;
  readonly role: FileRole;
  readonly size: number;
}

/** Files of a folder in the manifest's order, and everything in it that is no part of a system. */
export async function walkSystem(
  dir: string,
): Promise<{ readonly files: readonly FoundFile[]; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const files = await walk(dir, '', problems);
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), problems };
}

async function walk(dir: string, below: string, problems: Problem[]): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const names = await readdir(join(dir, below)).catch((cause: NodeJS.ErrnoException) => {
    problems.push({
      code: 'system.unreadable',
      at: below || dir,
      message: `can't be read as a folder (${cause.code})`,
      fix: 'Name a folder that holds system.toml and weights/.',
    });
    return [];
  });
  if (below.split('/').length > systemLimits.pathDepthMax) {
    problems.push({
      code: 'system.limit',
      at: below,
      message: `is more than ${systemLimits.pathDepthMax} folders deep`,
      fix: 'Move it up.',
    });
    return [];
  }
  for (const name of names.sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const entry = await lstat(join(dir, path));
    const role = roleOf(path, entry.isDirectory());
    if (role === null)
      problems.push({
        code: 'system.unknownFile',
        at: path,
        message: 'is no part of a system',
        fix: 'A system has system.toml, weights/, harness/ and research.jsonl; move this elsewhere.',
      });
    else if (entry.isDirectory()) found.push(...(await walk(dir, path, problems)));
    else if (!entry.isFile())
      problems.push({
        code: 'system.notRegular',
        at: path,
        message: 'is not a regular file',
        fix: 'Replace links by the files they point to.',
      });
    else if (role !== 'folder') found.push({ path, role, size: entry.size });
  }
  return found;
}

function roleOf(path: string, folder: boolean): FileRole | 'folder' | null {
  const [head, ...rest] = path.split('/');
  if (rest.length === 0) {
    if (folder) return head === 'weights' || head === 'harness' ? 'folder' : null;
    return head === 'system.toml' ? 'description' : head === 'research.jsonl' ? 'researchLog' : null;
  }
  if (folder) return 'folder';
  return head === 'weights' ? 'weights' : head === 'harness' ? 'harness' : null;
}
