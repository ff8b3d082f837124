/** The body of a hashing thread: SHA-256 of several byte streams at once, each update in the order it was sent. */
import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** What a hashing thread is asked; `update` and `digest` are answered, in order. */
export type HashRequest =
  | { readonly kind: 'update'; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly kind: 'digest'; readonly stream: number }
  | { readonly kind: 'drop'; readonly stream: number };

/** The answer to an `update` (null: its bytes are not needed any more) or a `digest` (64 hexadecimal digits). */
export type HashReply = string | null;

const streams = new Map<number, Hash>();

parentPort?.on('message', (request: HashRequest) => {
  const hash = streams.get(request.stream) ?? createHash('sha256');
  if (request.kind === 'update') {
    streams.set(request.stream, hash.update(request.bytes));
    parentPort?.postMessage(null satisfies HashReply);
    return;
  }
  streams.delete(request.stream);
  if (request.kind === 'digest') parentPort?.postMessage(hash.digest('hex') satisfies HashReply);
});
