/** Memory that bytes on their way in may take, in blocks that are used again. */
export interface BlockPool {
  readonly blockBytes: number;
  /** A block of one's own, in the order of asking. throws the signal's reason when it aborts first. */
  take(signal: AbortSignal): Promise<Uint8Array<SharedArrayBuffer>>;
  /** Gives a block back; its bytes are not touched any more. */
  giveBack(block: Uint8Array<SharedArrayBuffer>): void;
}

/**
 * Opens a pool of at most `blocksMax` blocks, made when first needed. Whoever asks while all are taken waits, and with
 * them the sockets they read from.
 */
export function openBlockPool(config: {
  readonly blockBytes: number;
  readonly blocksMax: number;
}): BlockPool {
  const free: Uint8Array<SharedArrayBuffer>[] = [];
  const waiting = new Set<(block: Uint8Array<SharedArrayBuffer>) => void>();
  let made = 0;
  return {
    blockBytes: config.blockBytes,
    take: (signal) => {
      if (signal.aborted) return Promise.reject(signal.reason);
      const block = free.pop();
      if (block !== undefined) return Promise.resolve(block);
      if (made < config.blocksMax) {
        made += 1;
        return Promise.resolve(new Uint8Array(new SharedArrayBuffer(config.blockBytes)));
      }
      return new Promise((resolve, reject) => {
        const give = (given: Uint8Array<SharedArrayBuffer>) => {
          signal.removeEventListener('abort', leave);
          resolve(given);
        };
        const leave = () => {
          waiting.delete(give);
          reject(signal.reason);
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.add(give);
      });
    },
    giveBack: (block) => {
      const [next] = waiting;
      if (next === undefined) {
        free.push(block);
        return;
      }
      waiting.delete(next);
      next(block);
    },
  };
}
