import { setTimeout as wait } from 'node:timers/promises';

/** Waits; rejects at once with the signal's reason when it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
