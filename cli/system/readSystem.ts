import { createHash } from 'node:crypto';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sha256, sha256Schema } from '@vtb/protocol/digest.ts';
import type { Problem } from '@vtb/protocol/errors.ts';
import { canonicalCut } from '@vtb/protocol/system/cut.ts';
import { parseGguf } from '@vtb/protocol/system/gguf.ts';
import { systemLimits } from '@vtb/protocol/system/limits.ts';
import type { Chunk, FileRole, Manifest, ManifestFile } from '@vtb/protocol/system/manifest.ts';
import type { ReadAt, ReadFileAt } from '@vtb/protocol/system/readAt.ts';
import { readManifest } from '@vtb/protocol/system/readManifest.ts';
import { parseSafetensors } from '@vtb/protocol/system/safetensors.ts';
import type { Layout } from '@vtb/protocol/system/tensor.ts';
import { readToml, TomlSyntaxError } from '@vtb/seasons/tomlDocument.ts';
import { type Description, descriptionSchema } from './description.ts';

/** Where a chunk's bytes are on this disk. */
export interface ChunkPlace {
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

/** A system on disk, hashed: what would be committed, and where each chunk is. */
export interface ReadSystem {
  readonly description: Description;
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly places: ReadonlyMap<Sha256, ChunkPlace>;
  readonly readFileAt: ReadFileAt;
}

export type SystemReading =
  | { readonly ok: true; readonly system: ReadSystem }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads a folder as a system: walks it, cuts every file canonically, hashes every chunk.
 *
 * onHashed  called with the bytes hashed so far and in all, for progress.
 * returns   every problem of the folder at once; what only inspection can see is not among them.
 */
export async function readSystem(
  dir: string,
  deps: { readonly onHashed: (done: number, total: number) => void; readonly signal: AbortSignal },
): Promise<SystemReading> {
  const problems: Problem[] = [];
  const files = await walk(dir, '', problems);
  const description = await readDescription(dir, files, problems);
  if (description === null || problems.length > 0) return { ok: false, problems };

  const total = files.reduce((sum, { size }) => sum + size, 0);
  const places = new Map<Sha256, ChunkPlace>();
  const manifestFiles: ManifestFile[] = [];
  let done = 0;
  for (const { path, role, size } of files) {
    const handle = await open(join(dir, path), 'r');
    try {
      const { layout, problems: faults } = await layoutOf(path, role, size, readAtOf(handle));
      problems.push(...faults);
      const chunks: Chunk[] = [];
      for (const range of canonicalCut(size, layout).chunks) {
        deps.signal.throwIfAborted();
        const sha256 = await hashRange(handle, range.offset, range.size);
        places.set(sha256, { path: join(dir, path), ...range });
        chunks.push({ sha256, size: range.size });
        done += range.size;
        deps.onHashed(done, total);
      }
      manifestFiles.push({ path, role, size, chunks });
    } finally {
      await handle.close();
    }
  }
  const reading = readManifest({
    schema: 1,
    track: description.track,
    edits: editOrder.filter((edit) => description.edits.includes(edit)),
    files: manifestFiles,
  });
  if (!reading.ok) problems.push(...reading.problems);
  if (problems.length > 0 || !reading.ok) return { ok: false, problems };
  return {
    ok: true,
    system: { description, manifest: reading.manifest, bytes: total, places, readFileAt: readFileAtOf(dir) },
  };
}

const editOrder = ['data', 'trainer', 'harness'] as const;
const blockBytes = 1024 * 1024;

interface FoundFile {
  readonly path: string;
  readonly role: FileRole;
  readonly size: number;
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
  return below === '' ? found.sort((a, b) => (a.path < b.path ? -1 : 1)) : found;
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

async function readDescription(
  dir: string,
  files: readonly FoundFile[],
  problems: Problem[],
): Promise<Description | null> {
  const file = files.find(({ role }) => role === 'description');
  if (file === undefined) {
    problems.push({
      code: 'system.noDescription',
      at: 'system.toml',
      message: 'is missing',
      fix: 'Add it: track, edits, name, license, base, terms.',
    });
    return null;
  }
  if (file.size > systemLimits.descriptionBytesMax) {
    problems.push({
      code: 'system.description',
      at: 'system.toml',
      message: `has ${file.size} bytes, more than ${systemLimits.descriptionBytesMax}`,
    });
    return null;
  }
  const handle = await open(join(dir, file.path), 'r');
  try {
    const toml = readToml(await handle.readFile('utf8'));
    const parsed = descriptionSchema.safeParse(toml.value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const { line } = toml.locate(issue.path.filter((part) => typeof part !== 'symbol'));
      problems.push({
        code: 'system.description',
        at: `system.toml:${line}`,
        message: `${issue.path.join('.')} ${issue.message}`.trim(),
      });
    }
  } catch (cause) {
    if (!(cause instanceof TomlSyntaxError)) throw cause;
    problems.push({
      code: 'system.description',
      at: `system.toml:${cause.position.line}`,
      message: cause.message,
    });
  } finally {
    await handle.close();
  }
  return null;
}

async function layoutOf(
  path: string,
  role: FileRole,
  size: number,
  readAt: ReadAt,
): Promise<{ readonly layout: Layout | null; readonly problems: readonly Problem[] }> {
  if (role !== 'weights') return { layout: null, problems: [] };
  if (path.endsWith('.gguf')) return parseGguf({ path, size }, readAt);
  if (path.endsWith('.safetensors')) return parseSafetensors({ path, size }, readAt);
  return { layout: null, problems: [] };
}

async function hashRange(handle: FileHandle, offset: number, size: number): Promise<Sha256> {
  const hash = createHash('sha256');
  const readAt = readAtOf(handle);
  for (let at = 0; at < size; at += blockBytes)
    hash.update(await readAt(offset + at, Math.min(blockBytes, size - at)));
  return sha256Schema.parse(hash.digest('hex'));
}

function readAtOf(handle: FileHandle): ReadAt {
  return async (offset, length) => {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  };
}

function readFileAtOf(dir: string): ReadFileAt {
  return async (path, offset, length) => {
    const handle = await open(join(dir, path), 'r');
    try {
      return await readAtOf(handle)(offset, length);
    } finally {
      await handle.close();
    }
  };
}
