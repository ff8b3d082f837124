/** Between two looks at the clock. */
const everyMs = 1_000;
/** A busy machine delays a timer by less. */
const pauseMsMin = 15_000;

/**
 * Notices that this machine slept or this program was stopped: then connections are dead without anybody having said so.
 *
 * now       wall-clock milliseconds; a timer's own clock may stand still meanwhile.
 * onPause   called after a pause with its length.
 * returns   something to dispose of when nobody asks any more.
 */
export function watchPauses(now: () => number, onPause: (pausedMs: number) => void): Disposable {
  let last = now();
  const timer = setInterval(() => {
    const at = now();
    const pausedMs = at - last - everyMs;
    last = at;
    if (pausedMs >= pauseMsMin) onPause(pausedMs);
  }, everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
