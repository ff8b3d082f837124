import { type FileHandle, open } from 'node:fs/promises';
import { parseGguf } from '@vtb/protocol/system/gguf.ts';
import { planGgufRewrite, type RewritePlan } from '@vtb/protocol/system/rewriteGguf.ts';
import { ReplayFailed } from '../replay/replayFailed.ts';
import { chunkedReadAt, type PlacedChunk, placedChunks } from './chunkedFile.ts';
import { checked, type FetchBytes, type FetchedSystem } from './fetchSystem.ts';
import { hashFile } from './hashFile.ts';

/** Chunks fetched at once: 64 MiB of memory at most. */
const fetchesMax = 4;

/**
 * Writes the engine's file: the base's header and the team's tensors at the base's offsets, zeros elsewhere. Nothing
 * of the team's header gets into it, and the team's file itself is never on this disk.
 *
 * returns  the SHA-256 of the file as it lies there; its mode is 0444.
 * throws   ReplayFailed: the system's when its tensors can't stand behind the base's header (deterministic, from
 *          verified bytes, so no calibration is needed).
 */
export async function writeWeights(
  input: { readonly system: FetchedSystem; readonly path: string },
  deps: { readonly chunk: FetchBytes; readonly signal: AbortSignal },
): Promise<string> {
  const { system, path } = input;
  const plan = await planOf(system, deps.chunk);
  const file = await open(path, 'wx', 0o444);
  try {
    // What nobody writes to stays zero.
    await file.truncate(plan.fileSize);
    await writeAll(file, plan.header, 0);
    await writeChunks(file, uses(placedChunks(system.weights), plan), deps);
  } finally {
    await file.close();
  }
  return hashFile(path, deps.signal);
}

async function planOf(system: FetchedSystem, chunk: FetchBytes): Promise<RewritePlan> {
  const { weights, base, baseHeader } = system;
  const team = await parseGguf({ path: weights.path, size: weights.size }, chunkedReadAt(weights, chunk));
  const outcome = await planGgufRewrite({ base, baseHeader, team });
  if (outcome.ok) return outcome.plan;
  const codes = [...new Set(outcome.problems.map((p) => p.code))].join(', ');
  throw ReplayFailed.system('weightsUnloadable', `the tensors don't fit the base: ${codes}`);
}

/** Bytes of one chunk that go into the new file. */
type Copy = { readonly from: number; readonly size: number; readonly to: number };

/** What is to be done with each distinct chunk; chunks that hold no tensor bytes aren't fetched. */
function uses(chunks: readonly PlacedChunk[], plan: RewritePlan): ReadonlyMap<string, readonly Copy[]> {
  const parts = [...plan.parts].sort((a, b) => a.sourceOffset - b.sourceOffset);
  const copies = new Map<string, Copy[]>();
  let first = 0;
  for (const chunk of chunks) {
    const end = chunk.offset + chunk.size;
    for (let at = first; at < parts.length; at += 1) {
      const part = parts[at];
      if (part === undefined || part.sourceOffset >= end) break;
      const partEnd = part.sourceOffset + part.size;
      if (partEnd <= end) first = at + 1;
      const start = Math.max(chunk.offset, part.sourceOffset);
      const size = Math.min(end, partEnd) - start;
      if (size <= 0) continue;
      const copy = { from: start - chunk.offset, size, to: part.targetOffset + start - part.sourceOffset };
      copies.set(chunk.sha256, [...(copies.get(chunk.sha256) ?? []), copy]);
    }
  }
  return copies;
}

async function writeChunks(
  file: FileHandle,
  copies: ReadonlyMap<string, readonly Copy[]>,
  deps: { readonly chunk: FetchBytes; readonly signal: AbortSignal },
): Promise<void> {
  const queue = copies.entries();
  const failed = new AbortController();
  const work = async () => {
    for (const [sha256, places] of queue) {
      deps.signal.throwIfAborted();
      if (failed.signal.aborted) return;
      const bytes = await checked(sha256, deps.chunk);
      for (const { from, size, to } of places) await writeAll(file, bytes.subarray(from, from + size), to);
    }
  };
  const workers = Array.from({ length: fetchesMax }, () =>
    work().catch((error: unknown) => {
      failed.abort();
      throw error;
    }),
  );
  // All must be still before the file is closed.
  const ends = await Promise.allSettled(workers);
  const bad = ends.find((end) => end.status === 'rejected');
  if (bad !== undefined) throw bad.reason;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
