import type { ReplayRow } from '@vtb/db/vault/replays.ts';
import type { TrialRow } from '@vtb/db/vault/trials.ts';
import {
  bandOf,
  type Environment,
  type MaintainersPart,
  type Result,
  type ResultFlag,
  type Totals,
} from '@vtb/protocol/messages/report.ts';
import { metricResult } from '@vtb/protocol/scoring/metricResult.ts';
import { heldForRetries } from '@vtb/protocol/scoring/retries.ts';
import type { Track } from '@vtb/protocol/season/track.ts';

/** A grading's result, or why there is none though every trial is resolved. */
export type Scored =
  | {
      readonly kind: 'scored';
      readonly result: Extract<Result, { kind: 'scored' }>;
      readonly maintainers: Omit<MaintainersPart, 'order'>;
    }
  | { readonly kind: 'unscored'; readonly cause: 'runner' | 'internal'; readonly why: string };

/**
 * From resolved trials and ended replays to the report's result. Pure: the same rows give the same result.
 *
 * hidden  by the vault: totals then have two significant figures.
 * trials  n × trialsPerTask rows, all resolved.
 */
export function scoreOrder(input: {
  readonly track: Track;
  readonly hidden: boolean;
  readonly trialsPerTask: number;
  readonly trials: readonly TrialRow[];
  readonly replays: readonly ReplayRow[];
}): Scored {
  const { track, hidden, trialsPerTask, trials, replays } = input;
  const counts = countsByTask(trials, trialsPerTask);
  if (typeof counts === 'string') return { kind: 'unscored', cause: 'internal', why: counts };
  const at = environmentOf(trials, replays);
  if (typeof at === 'string') return { kind: 'unscored', cause: 'runner', why: at };
  const { metric, trials: k } = track.settings;
  const judged = (what: TrialRow['judged']) => bandOf(trials.filter((trial) => trial.judged === what).length);
  const retried = trials.filter((trial) => trial.attempt > 1).length;
  const held = heldForRetries({ retried, trials: trials.length });
  return {
    kind: 'scored',
    result: {
      kind: 'scored',
      metrics: [metricResult({ name: metric, trials: k, counts })],
      failures: {
        timeout: judged('timeout'),
        turnLimit: judged('turnLimit'),
        truncation: judged('truncated'),
        unparsable: judged('unparsable'),
        empty: judged('empty'),
      },
      totals: totalsOf(trials, replays, hidden),
      environment: at.environment,
      retriedTrials: bandOf(retried),
      flags: held ? [...at.flags, 'heldForRetries'] : at.flags,
    },
    maintainers: {
      holdCause: held ? `${retried} of ${trials.length} trials were retried` : null,
      failedPhases: failedPhases(trials),
      detail: '',
    },
  };
}

/** Rewards summed per task, by place. Every task has exactly k resolved trials, or there is no score. */
function countsByTask(trials: readonly TrialRow[], k: number): number[] | string {
  const sums: number[] = [];
  const seen: number[] = [];
  for (const { task, state, reward } of trials) {
    if (state !== 'resolved' || reward === null) return 'a trial is not resolved';
    sums[task] = (sums[task] ?? 0) + reward;
    seen[task] = (seen[task] ?? 0) + 1;
  }
  if (trials.length !== sums.length * k || seen.some((count) => count !== k))
    return 'the trials are not n × k';
  return sums;
}

const isolationOrder = ['process', 'process+netns', 'process+uid+netns', 'container'] as const;

/** What ran: the replay with the most trials speaks for engine and hardware, the weakest isolation for all. */
function environmentOf(
  trials: readonly TrialRow[],
  replays: readonly ReplayRow[],
): { environment: Environment; flags: ResultFlag[] } | string {
  const share = new Map<string, number>();
  for (const { replay } of trials) if (replay !== null) share.set(replay, (share.get(replay) ?? 0) + 1);
  const used = replays
    .filter((replay) => share.has(replay.id))
    .sort((a, b) => (share.get(b.id) ?? 0) - (share.get(a.id) ?? 0) || a.attempt - b.attempt);
  const environments = used.flatMap((replay) => (replay.environment === null ? [] : [replay.environment]));
  const [first] = environments;
  if (first === undefined || environments.length !== used.length) return 'a replay did not say what it ran';
  if (environments.some((other) => other.weights !== first.weights))
    return 'replays of one system were given different files';
  const isolation =
    isolationOrder.find((level) => environments.some((environment) => environment.isolation === level)) ??
    first.isolation;
  const flags: ResultFlag[] = [];
  if (isolation === 'process' || isolation === 'process+netns') flags.push('notIsolatedFromHost');
  if (new Set(used.map((replay) => replay.runner)).size > 1) flags.push('moreRunnersThanOne');
  return { environment: { ...first, isolation }, flags };
}

function totalsOf(trials: readonly TrialRow[], replays: readonly ReplayRow[], hidden: boolean): Totals {
  const told = (value: number | null) => (value === null ? null : hidden ? twoFigures(value) : value);
  const sum = (values: readonly (number | null)[]) =>
    values.reduce<number | null>(
      (total, value) => (total === null || value === null ? null : total + value),
      0,
    );
  const hours = replays.reduce((total, replay) => total + replayMs(replay), 0) / 3_600_000;
  return {
    promptTokens: told(sum(trials.map((trial) => trial.promptTokens))),
    cachedTokens: told(sum(trials.map((trial) => trial.cachedTokens))),
    generatedTokens: told(sum(trials.map((trial) => trial.generatedTokens))),
    replayHours: told(hours),
  };
}

/** Engine up to engine down as the runner said it; of a lost one, from its lease to its last heartbeat. */
function replayMs({ engineMs, leasedAt, heartbeatAt }: ReplayRow): number {
  return engineMs ?? Math.max(0, heartbeatAt.getTime() - leasedAt.getTime());
}

/** A number ≥ 0 to two significant figures: 1,000,037 and 1,000,000 are told as one. */
export function twoFigures(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(2));
}

function failedPhases(trials: readonly TrialRow[]): MaintainersPart['failedPhases'] {
  const phases = new Map<string, number>();
  for (const { failedPhase } of trials)
    if (failedPhase !== null) phases.set(failedPhase, (phases.get(failedPhase) ?? 0) + 1);
  return [...phases]
    .sort(([a], [b]) => a.localeCompare(b))
    .slice(0, 32)
    .map(([phase, count]) => ({ phase, count }));
}
