import type { Track } from '@vtb/protocol/season/track.ts';
import type { DeskTask, TrialOutcome, Usage } from '@vtb/protocol/wire/desk.ts';
import type { UsageRecord } from '../proxy/proxyProtocol.ts';
import type { RunningProxy } from '../proxy/startProxy.ts';

/** One trial to work on. */
export type DriverTrial = {
  /** Names this attempt of the trial at the proxy; unique in a replay. */
  readonly name: string;
  readonly seed: number;
  readonly task: DeskTask;
  readonly track: Track;
};

/** What a driver works with. */
export type DriverDeps = {
  readonly proxy: Pick<RunningProxy, 'socketPath' | 'openTrial' | 'closeTrial'>;
  /** Takes the proxy's records of a closed trial's requests, in order; the second time there are none. */
  readonly takeUsage: (name: string) => readonly UsageRecord[];
  /** A new secret for one trial at the proxy. */
  readonly newToken: () => string;
  /** From the first request to the end of the last; what hasn't ended then has timed out. */
  readonly wallClockMs: number;
  /** Aborted when the trial is no longer to be worked on: nothing of it may go on. */
  readonly signal: AbortSignal;
};

/** How a trial went in the box. */
export type DriverEnd =
  | { readonly kind: 'outcome'; readonly outcome: TrialOutcome }
  /** The engine broke under it; whose fault that is, the caller finds out. */
  | { readonly kind: 'engineFailed'; readonly usage: Usage; readonly durationMs: number };

/** How tasks of one kind are worked; registered in registry.ts. */
export type Driver = {
  readonly name: Track['driver'];
  /**
   * Works one trial to its end.
   *
   * throws  the signal's reason when it aborts; ProxyFailure when the proxy died; any other error is a fault of ours.
   */
  work(trial: DriverTrial, deps: DriverDeps): Promise<DriverEnd>;
};
