/** A worker thread that hashes ranges of files: reads and hashes one MiB at a time, so that only digests cross over. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** Ranges of one file, to be hashed each on its own. */
export interface HashJob {
  readonly file: string;
  readonly ranges: readonly { readonly offset: number; readonly size: number }[];
}

/** Digests in hexadecimal, in the order of the ranges; or why there are none. */
export type HashAnswer =
  | { readonly ok: true; readonly digests: readonly string[] }
  | { readonly ok: false; readonly message: string };

const block = new Uint8Array(1024 * 1024);

parentPort?.on('message', (job: HashJob) => parentPort?.postMessage(answer(job)));

function answer(job: HashJob): HashAnswer {
  try {
    return { ok: true, digests: hashRanges(job) };
  } catch (cause) {
    return { ok: false, message: cause instanceof Error ? cause.message : String(cause) };
  }
}

function hashRanges({ file, ranges }: HashJob): string[] {
  const handle = openSync(file, 'r');
  try {
    return ranges.map(({ offset, size }) => {
      const hash = createHash('sha256');
      for (let at = 0; at < size; ) {
        const read = readSync(handle, block, 0, Math.min(block.length, size - at), offset + at);
        if (read === 0) throw new Error(`${file} became shorter while it was read`);
        hash.update(block.subarray(0, read));
        at += read;
      }
      return hash.digest('hex');
    });
  } finally {
    closeSync(handle);
  }
}
