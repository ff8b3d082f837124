import type { IncomingMessage } from 'node:http';

/** Bytes of all bodies being read now, against one bound: many small callers must not add up to a full memory. */
export type BodyBudget = {
  pendingBytes: number;
  readonly pendingBytesMax: number;
  readonly bodyBytesMax: number;
};

/** A whole body, or the status it is refused with. */
export type BodyOutcome =
  | { readonly kind: 'body'; readonly bytes: Buffer; readonly release: () => void }
  | { readonly kind: 'tooLarge' | 'busy' | 'aborted' };

/**
 * Reads a request's body within the bounds; the declared length is believed only to refuse early.
 * `release` gives the bytes back to the budget and must be called once.
 */
export async function readBody(request: IncomingMessage, budget: BodyBudget): Promise<BodyOutcome> {
  if (Number(request.headers['content-length'] ?? 0) > budget.bodyBytesMax) return { kind: 'tooLarge' };
  const parts: Buffer[] = [];
  let bytes = 0;
  const release = () => {
    budget.pendingBytes -= bytes;
    bytes = 0;
  };
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      bytes += part.length;
      budget.pendingBytes += part.length;
      const kind =
        bytes > budget.bodyBytesMax
          ? 'tooLarge'
          : budget.pendingBytes > budget.pendingBytesMax
            ? 'busy'
            : null;
      if (kind !== null) {
        release();
        return { kind };
      }
      parts.push(part);
    }
    return { kind: 'body', bytes: Buffer.concat(parts), release };
  } catch {
    release();
    return { kind: 'aborted' };
  }
}
