import { jsonDigest, type Sha256 } from '../digest.ts';
import { groupDigits } from './groupDigits.ts';
import { systemLimits } from './limits.ts';
import type { Chunk } from './manifest.ts';
import { quoteName } from './quoteName.ts';
import type { ByteRange } from './readAt.ts';
import type { Layout } from './tensor.ts';

/** One run of a file: bytes that belong together, cut at 16 MiB. */
export interface Run extends ByteRange {
  /** The tensor whose bytes (and following padding) these are; null for a header or a whole other file. */
  readonly tensor: string | null;
  /** The run's chunks are `chunks.slice(firstChunk, firstChunk + chunkCount)`. */
  readonly firstChunk: number;
  readonly chunkCount: number;
}

/** How a file is cut. */
export interface Cut {
  readonly chunks: readonly ByteRange[];
  readonly runs: readonly Run[];
}

/**
 * The canonical cut of a file: every byte once, in file order.
 *
 * A weights file's header is one run, then each tensor's bytes, by data offset, a run of its own; padding
 * belongs to the run before it. A run is split at 16 MiB and runs are never packed together, so an
 * unchanged tensor is an unchanged list of chunks. Zero-byte tensors give no run; any other file is one run.
 *
 * layout  null for every file that is not a parsed weights file.
 * throws  RangeError when the file is larger than `fileBytesMax`.
 */
export function canonicalCut(fileSize: number, layout: Layout | null): Cut {
  if (fileSize > systemLimits.fileBytesMax) {
    throw new RangeError(
      `A file of ${groupDigits(fileSize)} bytes is over ${groupDigits(systemLimits.fileBytesMax)}`,
    );
  }
  const starts = layout === null ? [] : layout.tensors.filter((tensor) => tensor.size > 0);
  const heads = [
    { tensor: null, offset: 0 },
    ...starts.map(({ name, offset }) => ({ tensor: name, offset })),
  ];
  const chunks: ByteRange[] = [];
  const runs: Run[] = [];
  for (const [index, { tensor, offset }] of heads.entries()) {
    const size = (heads[index + 1]?.offset ?? fileSize) - offset;
    if (size === 0) continue;
    const firstChunk = chunks.length;
    for (let at = 0; at < size; at += systemLimits.chunkBytesMax) {
      chunks.push({ offset: offset + at, size: Math.min(systemLimits.chunkBytesMax, size - at) });
    }
    runs.push({ tensor, offset, size, firstChunk, chunkCount: chunks.length - firstChunk });
  }
  return { chunks, runs };
}

/**
 * Compares a manifest file's chunks with the canonical cut.
 *
 * returns  null when they agree, else the first difference as a sentence with both numbers.
 */
export function checkCut(cut: Cut, chunks: readonly Chunk[]): string | null {
  const index = cut.chunks.findIndex((range, position) => range.size !== chunks[position]?.size);
  if (index === -1 && chunks.length === cut.chunks.length) return null;
  if (index === -1) {
    return `has ${groupDigits(chunks.length)} chunks where the canonical cut has ${groupDigits(cut.chunks.length)}`;
  }
  const expected = cut.chunks[index];
  const given = chunks[index];
  const owner = cut.runs.find((run) => index < run.firstChunk + run.chunkCount)?.tensor ?? null;
  const place = owner === null ? 'the first run' : `tensor ${quoteName(owner)}`;
  return (
    `chunk ${groupDigits(index)} (${place}) has ${given === undefined ? 'no' : groupDigits(given.size)} bytes ` +
    `where the canonical cut has ${groupDigits(expected?.size ?? 0)}`
  );
}

/** A tensor's digest: that of its chunk list's canonical JSON. A zero-byte tensor has the empty list's. */
export function tensorDigest(chunks: readonly Chunk[]): Sha256 {
  return jsonDigest(chunks.map(({ sha256, size }) => ({ sha256, size })));
}

/**
 * Digests of a file's tensors by name, from chunks that follow the cut.
 *
 * throws  RangeError when they don't: check with `checkCut` first.
 */
export function tensorDigests(layout: Layout, chunks: readonly Chunk[]): ReadonlyMap<string, Sha256> {
  const cut = canonicalCut(layout.fileSize, layout);
  const difference = checkCut(cut, chunks);
  if (difference !== null) throw new RangeError(`These are not the file's chunks: it ${difference}`);
  const digests = new Map<string, Sha256>();
  for (const { name, size } of layout.tensors) if (size === 0) digests.set(name, tensorDigest([]));
  for (const { tensor, firstChunk, chunkCount } of cut.runs) {
    if (tensor !== null) digests.set(tensor, tensorDigest(chunks.slice(firstChunk, firstChunk + chunkCount)));
  }
  return digests;
}
