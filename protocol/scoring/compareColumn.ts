import { holm } from './holm.ts';
import type { PairAvg } from './pairAvg.ts';
import { pairAvg } from './pairAvg.ts';
import type { PairSums } from './pairInterval.ts';
import type { PairResult } from './pairRepeated.ts';
import { pairRepeated } from './pairRepeated.ts';
import type { Verdict } from './pairTriangle.ts';
import { pairTriangle } from './pairTriangle.ts';

/**
 * Every pair of a track's ranked rows, by the paired test's mid-p with Holm over all of them.
 *
 * rows     per row what each task counts (Metric.values), all on one task set in one order; at most 1,000
 *          rows, which the caller's checkpoint bounds.
 * k        the most a task counts (Metric.outOf).
 * returns  M(M−1)/2 results; "better" means adjusted mid-p < 0.05 and a positive difference.
 * throws   RangeError as pairRepeated, also for rows of different task sets.
 * Needs per-task outcomes: runs in the grader only, and only the verdicts leave.
 */
export function compareColumn({
  rows,
  k,
}: {
  readonly rows: readonly (readonly number[])[];
  readonly k: number;
}): Comparisons<PairResult> {
  const pairs = pairTriangle(rows.length).map(([i, j]) =>
    pairRepeated({ a: rows[i] ?? [], b: rows[j] ?? [], k }),
  );
  return judged(pairs, (pair) => pair.pMid);
}

/** Family-wise error rate of a column's verdicts. */
export const verdictAlpha = 0.05;

/** All pairs of a column, in the order of pairTriangle: each test, its p after Holm, its verdict. */
export type Comparisons<Pair> = {
  readonly pairs: readonly Pair[];
  readonly adjusted: readonly number[];
  readonly verdicts: readonly Verdict[];
};

/**
 * Every pair of rows in Avg., from the tracks' pair sums, tracks weighted alike.
 *
 * tracks   per track all pairs in the order of pairTriangle, over the same rows; at least one track.
 * returns  as compareColumn, by the z test's p.
 * throws   RangeError when the tracks don't have the same number of pairs, or none is given.
 */
export function compareAvg(tracks: readonly (readonly PairSums[])[]): Comparisons<PairAvg> {
  const [first] = tracks;
  if (!first) throw new RangeError('A comparison in Avg. needs at least one track.');
  for (const { length } of tracks)
    if (length !== first.length)
      throw new RangeError(
        `Tracks have ${first.length} and ${length} pairs; Avg. needs the same rows in each.`,
      );
  const weight = 1 / tracks.length;
  const pairs = first.map((_, at) =>
    pairAvg(tracks.flatMap((track) => track.slice(at, at + 1).map((sums) => ({ ...sums, weight })))),
  );
  return judged(pairs, (pair) => pair.p);
}

function judged<Pair extends { readonly difference: number }>(
  pairs: readonly Pair[],
  p: (pair: Pair) => number,
): Comparisons<Pair> {
  const adjusted = holm(pairs.map(p));
  const verdicts = pairs.map(({ difference }, at): Verdict => {
    if (!((adjusted[at] ?? 1) < verdictAlpha) || difference === 0) return 'not distinguishable';
    return difference > 0 ? 'better' : 'worse';
  });
  return { pairs, adjusted, verdicts };
}
