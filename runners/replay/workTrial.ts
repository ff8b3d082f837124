import type { ClaimedTrial, TrialOutcome, Usage } from '@vtb/protocol/wire/desk.ts';
import type { DeskClient, Held } from '../desk/deskClient.ts';
import { isLost } from '../desk/deskFailure.ts';
import { type Heart, LeaseLost } from '../desk/heart.ts';
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
  /** The replay's: aborted when it is lost or the runner stops. */
  readonly signal: AbortSignal;
} & Omit<DriverDeps, 'signal'>;

/**
 * Works one claimed trial: task, driver, agent-done, outcome.
 *
 * A trial that was lost is dropped without a word. throws ReplayFailed, ProxyFailure, or the replay signal's reason:
 * the replay can't go on. What else goes wrong here is ours, and the trial's outcome says so.
 */
export async function workTrial(
  claimed: ClaimedTrial,
  trial: Omit<DriverTrial, 'task' | 'name' | 'seed'>,
  deps: TrialDeps,
): Promise<void> {
  const held: Held = { id: claimed.trial, fencing: claimed.fencing };
  const lost = deps.heart.hold(held);
  const signal = AbortSignal.any([lost, deps.signal]);
  const name = `${claimed.trial}.${claimed.fencing}`;
  try {
    const task = await deps.desk.task(held, signal);
    const end = await drive({ ...trial, name, seed: claimed.seed, task }, { ...deps, signal });
    const outcome = end.kind === 'outcome' ? end.outcome : await blamed(end, deps);
    await deps.desk.agentDone(held, signal);
    await deps.desk.outcome(held, outcome, signal);
    deps.log('info', 'trial.done', { trial: claimed.trial, kind: kindOf(outcome) });
  } catch (error) {
    deps.signal.throwIfAborted();
    if (error instanceof ReplayFailed || error instanceof ProxyFailure) throw error;
    if (isLost(error) || lost.aborted || error instanceof LeaseLost)
      return deps.log('warn', 'trial.lost', { trial: claimed.trial });
    deps.log('error', 'trial.failed', { trial: claimed.trial, ...errorFields(error) });
    await giveUp(held, signal, deps);
  } finally {
    deps.heart.release(claimed.trial);
  }
}

async function drive(trial: DriverTrial, deps: TrialDeps): Promise<DriverEnd> {
  const leave = await deps.enter(deps.signal);
  try {
    return await deps.driver.work(trial, deps);
  } finally {
    leave();
  }
}

/**
 * The outcome of a trial under which the engine broke. The engine has served tokens before (startModel.ts), so it is
 * the system's fault unless the calibration system fails too; then the replay ends by ours, and the trial is free.
 */
async function blamed(
  end: { readonly usage: Usage; readonly durationMs: number },
  deps: Pick<TrialDeps, 'calibration'>,
): Promise<TrialOutcome> {
  if ((await deps.calibration.blame()) === 'ours')
    throw ReplayFailed.ours('engine', 'the engine broke, and serves no other weights either');
  const { usage, durationMs } = end;
  return { kind: 'failed', fault: 'system', phase: 'serve', usage, durationMs };
}

const unknownUsage: Usage = { promptTokens: null, cachedTokens: null, generatedTokens: null };

async function giveUp(held: Held, signal: AbortSignal, deps: TrialDeps): Promise<void> {
  const outcome = {
    kind: 'failed',
    fault: 'ours',
    phase: 'runner',
    usage: unknownUsage,
    durationMs: 0,
  } as const;
  await deps.desk.outcome(held, outcome, signal).catch((error: unknown) => {
    deps.signal.throwIfAborted();
    deps.log('warn', 'trial.lost', { trial: held.id, ...errorFields(error) });
  });
}

function kindOf(outcome: TrialOutcome): string {
  return outcome.kind === 'answered' ? outcome.end : `failed.${outcome.fault}.${outcome.phase}`;
}
