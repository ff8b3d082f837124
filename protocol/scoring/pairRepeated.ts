import type { Interval } from './interval.ts';
import type { PairSums } from './pairInterval.ts';
import { pairInterval } from './pairInterval.ts';
import { signFlip } from './signFlip.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * Two systems on the same tasks: the paired sign-flip test, exact and mid-p, and the difference with its
 * interval. With k = 1 it is McNemar's test.
 *
 * a, b     what each task counts for each system (Metric.values), same tasks in the same order, whole, in
 *          [0, k]; n ≥ 1.
 * returns  sums and histogram of D = a − b, difference = ΣD/nk in [−1, 1], interval around the shrunken
 *          difference (pairInterval), pExact and pMid in [0, 1] (signFlip). Identical systems: p is 1.
 * throws   RangeError when the lists differ in length (other task sets aren't comparable: re-score first), are
 *          empty, or hold counts that aren't whole: fractional rewards have no sign-flip test here.
 * No random numbers: deterministic.
 * Source: Fisher's paired randomisation test; mid-p after Fagerland, Lydersen & Laake 2013 (BMC Med Res
 * Methodol 13:91).
 */
export function pairRepeated({ a, b, k }: PairInput): PairResult {
  wholeNumber('k', k, { min: 1 });
  const n = wholeNumber('The number of tasks', a.length, { min: 1 });
  if (b.length !== n)
    throw new RangeError(
      `Results on ${n} and ${b.length} tasks aren't comparable: re-score both on one set.`,
    );
  for (const count of [...a, ...b]) wholeNumber('What a task counts', count, { min: 0, max: k });
  return pairDifferences({ differences: a.map((count, i) => count - (b[i] ?? 0)), k });
}

/** Two systems' counts on one task set. */
export type PairInput = {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly k: number;
};

/** A paired comparison. Stays in the enclave for test splits: only the verdict leaves. */
export type PairResult = Required<PairSums> & {
  /** How many tasks have each D from −k to k, all keys present. */
  readonly histogram: Readonly<Record<string, number>>;
  readonly difference: number;
  readonly interval: Interval;
  readonly pExact: number;
  readonly pMid: number;
};

/** The same from the differences D themselves, whole numbers in [−k, k], one per task, in any order. */
export function pairDifferences({
  differences,
  k,
}: {
  readonly differences: readonly number[];
  readonly k: number;
}): PairResult {
  const n = wholeNumber('The number of tasks', differences.length, { min: 1 });
  const histogram = emptyHistogram(k);
  let [sumD, sumD2] = [0, 0];
  for (const difference of differences) {
    wholeNumber('A difference', difference, { min: -k, max: k });
    histogram[`${difference}`] = (histogram[`${difference}`] ?? 0) + 1;
    sumD += difference;
    sumD2 += difference * difference;
  }
  const { exact, mid } = signFlip(differences);
  return {
    n,
    k,
    sumD,
    sumD2,
    histogram,
    difference: sumD / (n * k),
    interval: pairInterval({ n, k, sumD, sumD2 }),
    pExact: exact,
    pMid: mid,
  };
}

function emptyHistogram(k: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: 2 * k + 1 }, (_, i) => [`${i - k}`, 0]));
}
