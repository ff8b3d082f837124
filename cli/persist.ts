import { setTimeout as delay } from 'node:timers/promises';
import type { Console } from './console.ts';
import { Failure } from './failure.ts';
import { timeText } from './progress.ts';

/** A night without network, or a laptop that travels, takes longer; then the same command goes on. */
export const patienceMs = 30 * 60_000;
const waitMsMax = 30_000;

/**
 * Does what must come about although the network goes away in between: tries again, ever more slowly, says once that the
 * service is gone and once that it is back. Only for work that may be done twice.
 *
 * patienceMs  gives up after this long without an answer.
 * throws      the last Failure('unreachable') then; other failures at once; the signal's reason.
 */
export async function persist<T>(
  work: () => Promise<T>,
  limits: { readonly patienceMs: number; readonly signal: AbortSignal },
  deps: { readonly console: Pick<Console, 'note'> },
): Promise<T> {
  let lostAtMs: number | null = null;
  for (let waitMs = 500; ; waitMs = Math.min(waitMsMax, waitMs * 2)) {
    try {
      const done = await work();
      if (lostAtMs !== null)
        deps.console.note(`back after ${timeText((performance.now() - lostAtMs) / 1000)}`);
      return done;
    } catch (cause) {
      if (!(cause instanceof Failure) || !isPassing(cause)) throw cause;
      const nowMs = performance.now();
      if (lostAtMs === null) deps.console.note(`${cause.message}; trying again, nothing is lost`);
      lostAtMs ??= nowMs;
      if (nowMs - lostAtMs >= limits.patienceMs) throw cause;
      await delay(waitMs, undefined, { signal: limits.signal }).catch(() => limits.signal.throwIfAborted());
    }
  }
}

/** Whether the same request may well succeed later. */
export function isPassing(failure: Failure): boolean {
  return failure.kind === 'unreachable' || failure.code === 'request.rateLimited';
}
