import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Sha256, sha256Schema } from '@vtb/protocol/digest.ts';
import type { ByteRange } from '@vtb/protocol/system/readAt.ts';
import { Failure } from '../failure.ts';
import type { HashAnswer, HashJob } from './hashWorker.ts';

/** Threads that hash files. */
export interface HashPool extends AsyncDisposable {
  /**
   * Digests of a file's ranges, in their order.
   *
   * onHashed  called with the bytes of each part that is done.
   * throws    Failure('refused') when the file can't be read to the end of its ranges; the signal's reason.
   */
  readonly hash: (
    file: string,
    ranges: readonly ByteRange[],
    onHashed: (bytes: number) => void,
  ) => Promise<Sha256[]>;
}

/** More threads than this wait for the disk. */
const threadsMax = 4;
/** Ranges are handed over in parts of about this many bytes; small tensors would else cost a message each. */
const partBytes = 16 * 1024 * 1024;
const partRangesMax = 1_024;

interface Part {
  readonly job: HashJob;
  readonly settle: (answer: HashAnswer) => void;
  readonly fail: (cause: unknown) => void;
}

/** In the bundle this very file is the worker, too. */
const workerFile = import.meta.url.endsWith('.ts')
  ? new URL('./hashWorker.ts', import.meta.url)
  : new URL(import.meta.url);

/** Starts the threads; dispose of it to end them. */
export function openHashPool(signal: AbortSignal): HashPool {
  const queue: Part[] = [];
  const idle: Worker[] = [];
  const busy = new Map<Worker, Part>();
  let broken: unknown = null;
  const next = () => {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      const part = queue.shift();
      if (part === undefined) {
        idle.push(worker);
        return;
      }
      busy.set(worker, part);
      worker.postMessage(part.job);
    }
  };
  const breakWith = (cause: unknown) => {
    broken ??= cause;
    for (const part of [...queue.splice(0), ...busy.values()]) part.fail(broken);
    busy.clear();
  };
  const workers = Array.from({ length: Math.min(threadsMax, availableParallelism()) }, () => {
    const worker = new Worker(workerFile, { execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 4 } });
    worker.on('message', (answer: HashAnswer) => {
      busy.get(worker)?.settle(answer);
      busy.delete(worker);
      idle.push(worker);
      next();
    });
    worker.on('error', breakWith);
    idle.push(worker);
    return worker;
  });
  const onAbort = () => breakWith(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const run = (job: HashJob) =>
    new Promise<HashAnswer>((settle, fail) => {
      if (broken !== null || signal.aborted) return fail(broken ?? signal.reason);
      queue.push({ job, settle, fail });
      next();
    });
  return {
    hash: async (file, ranges, onHashed) => {
      const parts = partsOf(ranges).map(async (part) => {
        const answer = await run({ file, ranges: part });
        if (!answer.ok) throw new Failure('refused', 'system.unreadable', answer.message);
        onHashed(part.reduce((sum, { size }) => sum + size, 0));
        return answer.digests.map((digest) => sha256Schema.parse(digest));
      });
      return (await Promise.all(parts)).flat();
    },
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', onAbort);
      breakWith(new Error('this hash pool is closed'));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Consecutive ranges, as many together as make one part. */
function partsOf(ranges: readonly ByteRange[]): ByteRange[][] {
  const parts: ByteRange[][] = [];
  let bytes = partBytes;
  for (const range of ranges) {
    const last = parts.at(-1);
    if (last === undefined || bytes + range.size > partBytes || last.length >= partRangesMax) {
      parts.push([range]);
      bytes = range.size;
    } else {
      last.push(range);
      bytes += range.size;
    }
  }
  return parts;
}
