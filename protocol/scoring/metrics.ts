import { decimalFraction } from './decimalFraction.ts';
import type { Fraction } from './fraction.ts';
import type { Interval } from './interval.ts';
import { passAtK, passHatK } from './perTask.ts';
import { taskInterval } from './taskInterval.ts';
import type { TaskSums } from './taskSums.ts';
import { checkTaskSums, taskSums } from './taskSums.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * How a track turns trials into a score, by the name its season gives: `mean`, `avg@4`, `pass@3`, `pass^3`
 * (or with a literal `k`, which then is the track's trials a task).
 *
 * trials   trials a task, whole, ≥ 1. A number in the name must equal it: with exactly k trials a task every
 *          task counts a whole number, and the interval over tasks holds.
 * throws   RangeError for an unknown name (the message lists the known ones) or another number of trials.
 */
export function metricNamed(name: string, trials: number): Metric {
  wholeNumber('Trials a task', trials, { min: 1 });
  const [, stem = '', k] = /^([a-z]+[@^]?)(k|[1-9]\d*)?$/.exec(name) ?? [];
  const kind = new Map(Object.entries(metricKinds)).get(k === undefined ? stem : `${stem}k`);
  if (!kind)
    throw new RangeError(`No metric is named ${name}; known: ${Object.keys(metricKinds).join(', ')}.`);
  if (k !== undefined && k !== 'k' && Number(k) !== trials)
    throw new RangeError(`${name} needs exactly ${k} trials a task; the track has ${trials}.`);
  const outOf = kind.outOf(trials);
  const values = (counts: readonly number[]) => counts.map((c) => kind.value(c, trials));
  return {
    name: k === 'k' ? `${stem}${trials}` : name,
    outOf,
    values,
    sums: (counts) => taskSums({ counts: values(counts), k: outOf }),
    score: exactScore,
    interval: (sums) => taskInterval(sums).interval,
  };
}

/** A metric at a fixed number of trials a task. Counts are per task: the sum of its trials' rewards. */
export type Metric = {
  /** As printed on the board: `avg@4`. */
  readonly name: string;
  /** The most one task can count: the trials for mean and avg@k, 1 for pass@k and pass^k. */
  readonly outOf: number;
  /** What each task counts, in [0, outOf], in the order given. Throws RangeError for an impossible count. */
  readonly values: (counts: readonly number[]) => readonly number[];
  /** What a receipt carries. Throws RangeError when there is no task. */
  readonly sums: (counts: readonly number[]) => Required<TaskSums>;
  /** Σc / (n·outOf), not reduced, so that it reads as counts. */
  readonly score: (sums: TaskSums) => Fraction;
  /** 95 %, over tasks (taskInterval). */
  readonly interval: (sums: TaskSums) => Interval;
};

/** Every metric a season may name; add one by a line here. */
export const metricKinds: Readonly<Record<string, MetricKind>> = {
  mean: { outOf: (trials) => trials, value: rewardSum },
  'avg@k': { outOf: (trials) => trials, value: rewardSum },
  'pass@k': { outOf: () => 1, value: (c, k) => Number(passAtK({ n: k, c, k }).numerator) },
  'pass^k': { outOf: () => 1, value: (c, k) => Number(passHatK({ n: k, c, k }).numerator) },
};

/** What a task with c (of the given trials) counts, and the most it can. */
export type MetricKind = {
  readonly outOf: (trials: number) => number;
  readonly value: (c: number, trials: number) => number;
};

function rewardSum(c: number, trials: number): number {
  if (c >= 0 && c <= trials) return c;
  throw new RangeError(`A task counts ${c} of ${trials} trials; it must be in [0, ${trials}].`);
}

function exactScore(sums: TaskSums): Fraction {
  const { n, k, sumC } = checkTaskSums(sums);
  if (Number.isSafeInteger(sumC)) return { numerator: sumC, denominator: n * k };
  const { numerator, denominator } = decimalFraction(sumC);
  return { numerator, denominator: denominator * BigInt(n * k) };
}
