import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha256 } from '@vtb/protocol/digest.ts';
import type { Problem } from '@vtb/protocol/errors.ts';
import { canonicalCut } from '@vtb/protocol/system/cut.ts';
import { parseGguf } from '@vtb/protocol/system/gguf.ts';
import { systemLimits } from '@vtb/protocol/system/limits.ts';
import type { Manifest, ManifestFile } from '@vtb/protocol/system/manifest.ts';
import type { ByteRange, ReadAt, ReadFileAt } from '@vtb/protocol/system/readAt.ts';
import { readManifest } from '@vtb/protocol/system/readManifest.ts';
import { parseSafetensors } from '@vtb/protocol/system/safetensors.ts';
import type { Layout } from '@vtb/protocol/system/tensor.ts';
import { type Description, readDescription } from './description.ts';
import { openHashPool } from './hashPool.ts';
import { type FoundFile, walkSystem } from './walk.ts';

/** Where a chunk's bytes are on this disk. */
export interface ChunkPlace extends ByteRange {
  readonly path: string;
}

/** A system on disk, hashed: what would be committed, and where each chunk is. */
export interface ReadSystem {
  readonly description: Description;
  readonly manifest: Manifest;
  readonly bytes: number;
  /** Each distinct chunk once. */
  readonly places: ReadonlyMap<Sha256, ChunkPlace>;
  readonly readFileAt: ReadFileAt;
}

/** A system, or everything that is wrong with its folder. */
export type SystemReading =
  | { readonly ok: true; readonly system: ReadSystem }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads a folder as a system: walks it, cuts every file canonically, hashes every chunk in worker threads.
 *
 * onStart  called with the bytes in all before the first is hashed; what it returns is called with the bytes so far.
 * returns  every problem of the folder at once; what only inspection can see is not among them.
 * Memory doesn't follow file sizes: files pass through in blocks of a MiB.
 */
export async function readSystem(
  dir: string,
  deps: { readonly onStart: (total: number) => (done: number) => void; readonly signal: AbortSignal },
): Promise<SystemReading> {
  const walked = await walkSystem(dir);
  const described = await readDescription(
    dir,
    walked.files.find(({ role }) => role === 'description') ?? null,
  );
  const { description } = described;
  const problems = [...walked.problems, ...described.problems, ...sizeProblems(walked.files)];
  if (description === null || problems.length > 0) return { ok: false, problems };

  const bytes = walked.files.reduce((sum, { size }) => sum + size, 0);
  const readFileAt = readFileAtOf(dir);
  const places = new Map<Sha256, ChunkPlace>();
  const files: ManifestFile[] = [];
  let done = 0;
  await using pool = openHashPool(deps.signal);
  const onHashed = deps.onStart(bytes);
  for (const { path, role, size } of walked.files) {
    deps.signal.throwIfAborted();
    const parsed = await parseHeader({ path, role, size }, (offset, length) =>
      readFileAt(path, offset, length),
    );
    problems.push(...parsed.problems);
    const cut = canonicalCut(size, parsed.layout);
    const digests = await pool.hash(join(dir, path), cut.chunks, (more) => {
      done += more;
      onHashed(done);
    });
    const chunks = cut.chunks.map((range, index) => {
      const sha256 = digests[index];
      if (sha256 === undefined) throw new Error(`chunk ${index} of ${path} was not hashed`);
      if (!places.has(sha256)) places.set(sha256, { path: join(dir, path), ...range });
      return { sha256, size: range.size };
    });
    files.push({ path, role, size, chunks });
  }
  const { track, edits } = description;
  const inOrder = editOrder.filter((edit) => edits.includes(edit));
  const reading = readManifest({ schema: 1, track, edits: inOrder, files });
  if (!reading.ok) problems.push(...reading.problems);
  if (!reading.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, system: { description, manifest: reading.manifest, bytes, places, readFileAt } };
}

const editOrder = ['data', 'trainer', 'harness'] as const;

interface Header {
  readonly layout: Layout | null;
  readonly problems: readonly Problem[];
}

async function parseHeader({ path, role, size }: FoundFile, readAt: ReadAt): Promise<Header> {
  if (role !== 'weights') return { layout: null, problems: [] };
  if (path.endsWith('.gguf')) return parseGguf({ path, size }, readAt);
  if (path.endsWith('.safetensors')) return parseSafetensors({ path, size }, readAt);
  return { layout: null, problems: [] };
}

/** Said before hours are spent on hashing; the manifest's own rules say the rest. */
function sizeProblems(files: readonly FoundFile[]): Problem[] {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= systemLimits.systemBytesMax) return [];
  const message = `the system has ${bytes} bytes, more than ${systemLimits.systemBytesMax}`;
  return [{ code: 'system.limit', at: '', message, fix: 'Leave out what the track does not need.' }];
}

function readFileAtOf(dir: string): ReadFileAt {
  return async (path, offset, length) => {
    const handle = await open(join(dir, path), 'r');
    try {
      const bytes = new Uint8Array(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    } finally {
      await handle.close();
    }
  };
}
