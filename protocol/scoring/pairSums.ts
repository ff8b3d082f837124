import type { PairSums } from './pairInterval.ts';

/**
 * ΣD and ΣD² of two systems' counts on one task set, without the test: all that a comparison in Avg. needs of a track.
 *
 * a, b    what each task counts, in [0, k], one order of tasks; n ≥ 1.
 * throws  RangeError when the lists differ in length.
 */
export function pairSums({ a, b, k }: PairCounts): PairSums {
  if (a.length !== b.length)
    throw new RangeError(`Results on ${a.length} and ${b.length} tasks aren't comparable.`);
  let [sumD, sumD2] = [0, 0];
  for (let task = 0; task < a.length; task++) {
    const difference = (a[task] ?? 0) - (b[task] ?? 0);
    sumD += difference;
    sumD2 += difference * difference;
  }
  return { n: a.length, k, sumD, sumD2 };
}

/** Two systems' counts per task, and the most a task counts. */
export type PairCounts = { readonly a: readonly number[]; readonly b: readonly number[]; readonly k: number };
