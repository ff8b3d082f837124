import type { ReplayLease } from '@vtb/protocol/wire/desk.ts';
import { errorFields, type Log } from '../log.ts';
import { pause } from '../pause.ts';
import type { DeskClient, Held } from './deskClient.ts';
import { isLost } from './deskFailure.ts';

/** The lease of a replay or trial ended, or was given to somebody else. */
export class LeaseLost extends Error {
  constructor(what: string) {
    super(`${what} is no longer held`);
    this.name = 'LeaseLost';
  }
}

/** Keeps a replay's lease and its trials' alive in the background. */
export type Heart = {
  /** Aborted with LeaseLost when the replay is no longer held. */
  readonly lost: AbortSignal;
  /** Renews a trial's lease from now on; the signal aborts with LeaseLost when it is lost. */
  hold(trial: Held): AbortSignal;
  release(trial: string): void;
  /** Ends the beating; resolves when no request is under way. */
  stop(): Promise<void>;
};

/**
 * Starts beating at the rhythm of the lease.
 *
 * The lease counts from when the last answered request was sent, so this side gives up before the desk does; when
 * the desk can't be reached that long, everything is lost.
 */
export function startHeart(
  lease: Pick<ReplayLease, 'replay' | 'fencing' | 'leaseMs' | 'heartbeatMs'>,
  deps: { readonly desk: DeskClient; readonly log: Log },
): Heart {
  const lost = new AbortController();
  const ending = new AbortController();
  const trials = new Map<string, { readonly fencing: number; readonly lost: AbortController }>();
  const signal = AbortSignal.any([lost.signal, ending.signal]);
  let aliveUntilMs = performance.now() + lease.leaseMs;
  const lose = () => {
    for (const trial of trials.values()) trial.lost.abort(new LeaseLost(`replay ${lease.replay}`));
    lost.abort(new LeaseLost(`replay ${lease.replay}`));
  };

  const beat = async () => {
    const sentMs = performance.now();
    const held = [...trials].map(([trial, { fencing }]) => ({ trial, fencing }));
    try {
      const reply = await deps.desk.heartbeat(
        lease.replay,
        { fencing: lease.fencing, trials: held },
        Math.max(1, Math.ceil(aliveUntilMs - sentMs)),
        signal,
      );
      aliveUntilMs = sentMs + reply.leaseMs;
      for (const id of reply.lost) trials.get(id)?.lost.abort(new LeaseLost(`trial ${id}`));
    } catch (error) {
      if (signal.aborted) return;
      deps.log('warn', 'heartbeat.failed', { replay: lease.replay, ...errorFields(error) });
      if (isLost(error) || performance.now() >= aliveUntilMs) lose();
    }
  };
  const beating = (async () => {
    while (!signal.aborted) {
      const waitMs = Math.min(lease.heartbeatMs, Math.max(0, aliveUntilMs - performance.now()));
      await pause(waitMs, signal).catch(() => {});
      if (!signal.aborted) await beat();
    }
  })();

  return {
    lost: lost.signal,
    hold({ id, fencing }) {
      const controller = new AbortController();
      if (lost.signal.aborted) controller.abort(lost.signal.reason);
      trials.set(id, { fencing, lost: controller });
      return controller.signal;
    },
    release: (id) => void trials.delete(id),
    async stop() {
      ending.abort();
      await beating;
    },
  };
}
