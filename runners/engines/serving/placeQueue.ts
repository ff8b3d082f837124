/** Places for work at once, with a bounded line in front of them, first come first served. */
export type PlaceQueue = {
  /** Resolves with the function that frees the place, or null when the line is full. Rejects when aborted waiting. */
  enter(signal: AbortSignal): Promise<() => void> | null;
  readonly running: () => number;
  readonly waiting: () => number;
};

/** A {@link PlaceQueue} with `places` at once and at most `waitingMax` in line. */
export function placeQueue(places: number, waitingMax: number): PlaceQueue {
  const line: (() => void)[] = [];
  let running = 0;
  const leaveOnce = () => {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      const next = line.shift();
      // The place passes to the next in line without ever being free in between.
      if (next === undefined) running -= 1;
      else next();
    };
  };
  return {
    enter(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (running < places) {
        running += 1;
        return Promise.resolve(leaveOnce());
      }
      if (line.length >= waitingMax) return null;
      return new Promise((resolve, reject) => {
        const onTurn = () => {
          signal.removeEventListener('abort', onAbort);
          resolve(leaveOnce());
        };
        const onAbort = () => {
          const at = line.indexOf(onTurn);
          if (at >= 0) line.splice(at, 1);
          reject(signal.reason);
        };
        line.push(onTurn);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
    running: () => running,
    waiting: () => line.length,
  };
}
