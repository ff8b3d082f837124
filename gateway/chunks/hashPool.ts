/**
 * Theory of operation. Hashing on the thread that reads sockets costs a third of the rate, so a few threads do it. A
 * stream stays on one thread, which answers in the order it was asked; bytes are shared, not copied, and belong to the
 * thread until it has answered.
 */
import { Worker } from 'node:worker_threads';
import type { HashReply, HashRequest } from './hashThread.ts';

/** SHA-256 of bytes that come one after the other. */
export interface StreamingHash extends Disposable {
  /** Resolves when these bytes are hashed and may be overwritten. */
  update(bytes: Uint8Array<SharedArrayBuffer>): Promise<void>;
  /** The digest of all bytes so far, as 64 hexadecimal digits; ends the stream. */
  digest(): Promise<string>;
}

/** Threads that hash. */
export interface HashPool extends AsyncDisposable {
  open(): StreamingHash;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: PromiseWithResolvers<HashReply>[];
  streams: number;
}

/** Opens a pool; its threads start with the first stream, and one that dies fails its own streams alone. */
export function openHashPool({ threadsMax }: { readonly threadsMax: number }): HashPool {
  const threads = new Set<Thread>();
  let streamCount = 0;
  const start = (): Thread => {
    const worker = new Worker(new URL('./hashThread.ts', import.meta.url), { name: 'hash' });
    const thread: Thread = { worker, waiting: [], streams: 0 };
    const end = (cause: Error) => {
      threads.delete(thread);
      for (const one of thread.waiting.splice(0)) one.reject(cause);
    };
    worker.on('message', (reply: HashReply) => {
      thread.waiting.shift()?.resolve(reply);
      if (thread.waiting.length === 0) worker.unref();
    });
    worker.on('error', (cause) => end(new Error('a hashing thread failed', { cause })));
    worker.on('exit', () => end(new Error('a hashing thread ended')));
    worker.unref();
    threads.add(thread);
    return thread;
  };
  const least = (): Thread => {
    const idlest = [...threads].sort((a, b) => a.streams - b.streams)[0];
    return idlest === undefined || (idlest.streams > 0 && threads.size < threadsMax) ? start() : idlest;
  };
  return {
    open: () => {
      const thread = least();
      thread.streams += 1;
      streamCount += 1;
      return openStream(streamCount, thread, threads);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

function openStream(stream: number, thread: Thread, threads: ReadonlySet<Thread>): StreamingHash {
  let isOpen = true;
  const ask = (request: HashRequest): Promise<HashReply> => {
    if (!threads.has(thread)) return Promise.reject(new Error('a hashing thread ended'));
    const reply = Promise.withResolvers<HashReply>();
    thread.waiting.push(reply);
    // A process doesn't end while it waits for a digest.
    thread.worker.ref();
    thread.worker.postMessage(request);
    return reply.promise;
  };
  return {
    update: async (bytes) => {
      await ask({ kind: 'update', stream, bytes });
    },
    digest: async () => {
      const digest = await ask({ kind: 'digest', stream });
      if (digest === null) throw new Error('a hashing thread gave no digest');
      return digest;
    },
    [Symbol.dispose]: () => {
      if (!isOpen) return;
      isOpen = false;
      thread.streams -= 1;
      if (threads.has(thread)) thread.worker.postMessage({ kind: 'drop', stream } satisfies HashRequest);
    },
  };
}
