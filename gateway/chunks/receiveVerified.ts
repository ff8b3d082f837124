/**
 * Theory of operation. Bytes gather in a block of shared memory while the block before is hashed by a thread and written
 * by the store, both from the same memory, so what is kept is what was hashed. An upload holds a few blocks at most, a
 * sender that pauses holds none, and the pool bounds all of them together: when it is empty, sockets are not read.
 */
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Intake } from './intake.ts';
import { steadyParts } from './steadyParts.ts';
import type { IncomingChunk } from './store.ts';

/** Keeps bytes at an offset; when it resolves they may be overwritten. Called in order, without waiting for the last. */
export type WriteBlock = (bytes: Uint8Array<SharedArrayBuffer>, offset: number) => Promise<void>;

/** Blocks of one upload under way to thread and disk: on a busy machine either is waited for less often. */
const flushingMax = 4;

/**
 * Reads a chunk to its end and hands it on in blocks; resolves when all of it was written and has the digest it is named by.
 *
 * throws  Refusal chunk.size, chunk.mismatch or upload.tooSlow, the signal's reason, or what stream or writing fail with.
 *         Then whatever was written must be dropped; no write is under way any more.
 */
export async function receiveVerified(
  chunk: IncomingChunk,
  write: WriteBlock,
  intake: Intake,
): Promise<void> {
  const { sha256, size, signal } = chunk;
  using hash = intake.hashes.open();
  let block: Uint8Array<SharedArrayBuffer> | null = null;
  let filled = 0;
  let received = 0;
  let flushed = 0;
  const flushing: Promise<void>[] = [];
  const flush = async (full: Uint8Array<SharedArrayBuffer>) => {
    if (flushing.length === flushingMax) await flushing.shift();
    const kept = keep(full.subarray(0, filled), flushed).finally(() => intake.blocks.giveBack(full));
    kept.catch(() => undefined);
    flushing.push(kept);
    block = null;
    flushed += filled;
    filled = 0;
  };
  const keep = async (bytes: Uint8Array<SharedArrayBuffer>, offset: number) => {
    // Both end before the block is used again, also when one fails.
    const [hashed, written] = await Promise.allSettled([hash.update(bytes), write(bytes, offset)]);
    for (const done of [hashed, written]) if (done.status === 'rejected') throw done.reason;
  };
  try {
    for await (const part of steadyParts(chunk, intake.pace)) {
      if (part === null) {
        if (block !== null) await flush(block);
        continue;
      }
      received += part.byteLength;
      if (received > size) throw wrongSize(`more than ${size}`, size);
      for (let done = 0; done < part.byteLength; ) {
        block ??= await intake.blocks.take(signal);
        const taken = part.subarray(done, done + intake.blocks.blockBytes - filled);
        block.set(taken, filled);
        filled += taken.byteLength;
        done += taken.byteLength;
        if (filled === intake.blocks.blockBytes) await flush(block);
      }
    }
    if (received !== size) throw wrongSize(String(received), size);
    if (block !== null) await flush(block);
    await Promise.all(flushing);
    const found = await hash.digest();
    if (found !== sha256)
      throw new Refusal(
        'chunk.mismatch',
        `the bytes have SHA-256 ${found}, not ${sha256}; read the file again and resend`,
      );
  } finally {
    if (block !== null) intake.blocks.giveBack(block);
    await Promise.allSettled(flushing);
  }
}

function wrongSize(received: string, size: number): Refusal {
  return new Refusal('chunk.size', `${received} bytes came; the manifest says ${size}`);
}
