/** Wakes whoever waits for something to have changed. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, after `timeoutMs`, or when the signal aborts; never rejects. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** A bell inside this process. A ring that nobody waits for is lost: look first, then wait with a timeout. */
export function newBell(): Bell {
  const waiting = new Set<() => void>();
  return {
    ring: () => {
      for (const wake of [...waiting]) wake();
    },
    wait: (timeoutMs, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, timeoutMs);
        waiting.add(done);
        if (signal.aborted) done();
        else signal.addEventListener('abort', done, { once: true });
      }),
  };
}
