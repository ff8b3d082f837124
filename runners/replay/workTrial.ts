import type { ClaimedTrial, TrialOutcome, Usage } from '@vtb/protocol/wire/desk.ts';
import type { DeskClient, Held } from '../desk/deskClient.ts';
import { DeskRefused, isLost } from '../desk/deskFailure.ts';
import type { Heart } from '../desk/heart.ts';
import type { Driver, DriverDeps, DriverEnd, DriverTrial } from '../drivers/driver.ts';
import { errorFields, type Log } from '../log.ts';
import { ProxyFailure } from '../proxy/startProxy.ts';
import type { Calibration } from './calibration.ts';
import { ReplayFailed } from './replayFailed.ts';

/** What working trials needs of its replay. */
export type TrialDeps = {
  readonly desk: DeskClient;
  readonly heart: Heart;
  readonly driver: Driver;
  readonly calibration: Calibration;
  readonly log: Log;
  /** Waits for a place among those that generate at once. */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
  /** Of this start of the model: aborted once the engine broke, so that no further trial is sent to it. */
  readonly broken: AbortController;
  /** The replay's: aborted when it is lost or the runner stops. */
  readonly signal: AbortSignal;
} & Omit<DriverDeps, 'signal'>;

/**
 * Works one claimed trial: task, driver, agent-done, outcome.
 *
 * returns  'ended' when its outcome is with the desk or the trial was lost (then it is dropped without a word);
 *          'untouched' when the engine broke before the trial was sent to it: it is still held, for the next start.
 * throws   ReplayFailed, ProxyFailure, or the replay signal's reason: the replay can't go on. What else goes wrong
 *          here is ours, and the trial's outcome says so.
 */
export async function workTrial(
  claimed: ClaimedTrial,
  trial: Pick<DriverTrial, 'track'>,
  deps: TrialDeps,
): Promise<'ended' | 'untouched'> {
  const held: Held = { id: claimed.trial, fencing: claimed.fencing };
  const lost = deps.heart.hold(held);
  const signal = AbortSignal.any([lost, deps.signal]);
  const name = `${claimed.trial}.${claimed.fencing}`;
  try {
    const task = await deps.desk.task(held, signal);
    const end = await drive({ ...trial, name, seed: claimed.seed, task }, { ...deps, signal });
    if (end === 'untouched') return end;
    const outcome = end.kind === 'outcome' ? end.outcome : await blamed(claimed, end, deps);
    await deps.desk.agentDone(held, signal);
    const taken = await hand(claimed, outcome, { ...deps, signal });
    deps.log('info', 'trial.done', { trial: claimed.trial, kind: kindOf(taken) });
  } catch (error) {
    deps.signal.throwIfAborted();
    if (error instanceof ReplayFailed || error instanceof ProxyFailure) throw error;
    if (isLost(error) || lost.aborted) deps.log('warn', 'trial.lost', { trial: claimed.trial });
    else {
      deps.log('error', 'trial.failed', { trial: claimed.trial, ...errorFields(error) });
      await giveUp(held, signal, deps);
    }
  }
  deps.heart.release(claimed.trial);
  return 'ended';
}

async function drive(trial: DriverTrial, deps: TrialDeps): Promise<DriverEnd | 'untouched'> {
  const leave = await deps.enter(deps.signal);
  try {
    if (deps.broken.signal.aborted) return 'untouched';
    const end = await deps.driver.work(trial, deps);
    // Before the place is free: who waits for it must not be sent to a broken engine.
    if (end.kind === 'engineFailed') deps.broken.abort();
    return end;
  } finally {
    leave();
  }
}

/**
 * The outcome of a trial under which the engine broke. The engine had served tokens before (startModel.ts), so by the
 * rule it is the system's fault unless the calibration system fails too.
 *
 * Before the rule comes one more try with the same seed, recorded as a retry of ours: what kills an engine once may
 * be the host, and trials that were beside it did nothing. What breaks it a second time is judged. Where the
 * calibration system fails too, the replay ends by ours, and its trials are free.
 */
async function blamed(
  claimed: ClaimedTrial,
  end: { readonly usage: Usage; readonly durationMs: number },
  deps: Pick<TrialDeps, 'calibration'>,
): Promise<TrialOutcome> {
  const { usage, durationMs } = end;
  if (claimed.attempt === 1) return { kind: 'failed', fault: 'ours', phase: 'engine', usage, durationMs };
  if ((await deps.calibration.blame()) === 'ours')
    throw ReplayFailed.ours('engine', 'the engine broke, and serves no other weights either');
  return { kind: 'failed', fault: 'system', phase: 'serve', usage, durationMs };
}

/**
 * Hands the outcome to the desk. returns what the desk took: an answer that it can't read or hold is the engine's text,
 * so it is judged as if the engine had broken.
 */
async function hand(claimed: ClaimedTrial, outcome: TrialOutcome, deps: TrialDeps): Promise<TrialOutcome> {
  const held: Held = { id: claimed.trial, fencing: claimed.fencing };
  try {
    await deps.desk.outcome(held, outcome, deps.signal);
    return outcome;
  } catch (error) {
    const isUnreadable = error instanceof DeskRefused && [400, 413, 422].includes(error.status);
    if (outcome.kind !== 'answered' || !isUnreadable) throw error;
    deps.log('error', 'trial.answerRefused', { trial: claimed.trial, ...errorFields(error) });
    const judged = await blamed(claimed, { usage: unknownUsage, durationMs: outcome.durationMs }, deps);
    await deps.desk.outcome(held, judged, deps.signal);
    return judged;
  }
}

const unknownUsage: Usage = { promptTokens: null, cachedTokens: null, generatedTokens: null };

async function giveUp(held: Held, signal: AbortSignal, deps: TrialDeps): Promise<void> {
  const failed = {
    kind: 'failed',
    fault: 'ours',
    phase: 'runner',
    usage: unknownUsage,
    durationMs: 0,
  } as const;
  await deps.desk.outcome(held, failed, signal).catch((error: unknown) => {
    deps.signal.throwIfAborted();
    deps.log('warn', 'trial.lost', { trial: held.id, ...errorFields(error) });
  });
}

function kindOf(outcome: TrialOutcome): string {
  return outcome.kind === 'answered' ? outcome.end : `failed.${outcome.fault}.${outcome.phase}`;
}
