/**
 * Theory of operation. What time brings (releases, checkpoints, graces, deadlines) is found by queries and done item by
 * item, each in a transaction that locks what it is about and looks again before it acts. So there is no leader and no
 * queue to lose: every gateway sweeps, two that meet do an item once, and after a crash the next round finds what is
 * left. A job queue (pg-boss) would add a second place where the same facts could be out of step; it is for work that
 * talks to the outside, such as webhooks.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { sweeps } from './registry.ts';
import type { Sweep } from './sweep.ts';

/** After this many failed rounds in a row a sweep waits no longer than this between tries. */
const backOffMsMax = 30_000;

/**
 * Runs every sweep until the signal aborts.
 *
 * returns  resolves when all rounds in progress have ended after the abort; a failed round is logged and tried again.
 */
export async function startSweeps(deps: Deps, signal: AbortSignal): Promise<void> {
  await Promise.all(sweeps.map((sweep) => repeat(sweep, deps, signal)));
}

async function repeat(sweep: Sweep, deps: Deps, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const done = await sweep.run(deps);
      if (done > 0) deps.log('sweep', { sweep: sweep.name, done });
      failures = 0;
    } catch (error) {
      failures += 1;
      deps.log('sweep.failed', { sweep: sweep.name, failures, error: String(error) });
    }
    const pauseMs = Math.min(
      sweep.everyMs * 2 ** Math.min(failures, 10),
      Math.max(backOffMsMax, sweep.everyMs),
    );
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
