import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks until the answer is true.
 *
 * throws  Error naming what was awaited when `timeoutMs` passed; the signal's reason when it is aborted.
 */
export async function waitFor(
  what: string,
  check: () => Promise<boolean>,
  {
    timeoutMs,
    everyMs,
    signal,
  }: { readonly timeoutMs: number; readonly everyMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${timeoutMs / 1000} s`);
    await delay(everyMs, undefined, { signal });
  }
}

/** Whether a URL answers 200 within a second. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
