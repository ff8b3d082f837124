/**
 * Theory of operation. The queue is the table: whatever is in the state `checking` waits for inspection, also after a
 * kill. A notification says that something was sealed; a slow tick finds what a dead process left. One inspection at a
 * time in a process bounds its memory, and a lock by submission keeps several gateways apart.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { soleWorker } from '@vtb/db/public/soleWorker.ts';
import { uninspected } from '@vtb/db/public/submissions.ts';
import type { Deps } from '../deps.ts';
import { inspectSubmission } from './inspectSubmission.ts';

/** Work that goes on until stopped. */
export interface Inspector {
  /** Something may be waiting. */
  wake(): void;
  /** Resolves when the loop has ended, after its signal. */
  readonly ended: Promise<void>;
}

/** Looks again this often for what no notification told of. */
const tickMs = 15_000;

/** A system of 256 GiB at 200 MB/s takes 23 minutes. */
const inspectionMs = 60 * 60_000;

/** At most this many per look; the next look takes the rest. */
const batchMax = 100;

/** Starts inspecting what waits; ends by the signal. */
export function startInspector(deps: Deps, signal: AbortSignal): Inspector {
  let wake = () => {};
  let woken = true;
  const loop = async () => {
    while (!signal.aborted) {
      if (!woken) await pause((resume) => (wake = resume), signal);
      woken = false;
      await inspectWaiting(deps, signal).catch((cause: unknown) => {
        if (!signal.aborted) deps.log('inspector.failed', { error: String(cause) });
      });
    }
  };
  return {
    wake: () => {
      woken = true;
      wake();
    },
    ended: loop(),
  };
}

/** One look: everything that waits is inspected. For tests and for the loop. */
export async function inspectWaiting(deps: Deps, signal: AbortSignal): Promise<void> {
  for (const submission of await uninspected(batchMax, deps.db)) {
    if (signal.aborted) return;
    await inspectAlone(submission, deps, signal);
  }
}

async function inspectAlone(submission: string, deps: Deps, signal: AbortSignal): Promise<void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(inspectionMs)]);
  try {
    await soleWorker(`inspect ${submission}`, deps.sql, () =>
      inspectSubmission({ submission, signal: within }, deps),
    );
  } catch (cause) {
    // One that fails by our fault stays in `checking` and must not keep the others waiting.
    if (!signal.aborted)
      deps.log('inspection.failed', {
        submission,
        error: cause instanceof Error ? String(cause.stack) : String(cause),
      });
  }
}

async function pause(onStart: (resume: () => void) => void, signal: AbortSignal): Promise<void> {
  const resumed = new AbortController();
  onStart(() => resumed.abort());
  await delay(tickMs, undefined, { signal: AbortSignal.any([signal, resumed.signal]) }).catch(
    () => undefined,
  );
}
