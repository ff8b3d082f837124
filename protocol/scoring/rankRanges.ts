import { unpackVerdict } from './packVerdicts.ts';
import type { Verdict } from './pairTriangle.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * From pairwise verdicts to the ranks each row could have: [1 + how many beat it, M − how many it beats]. With
 * Holm over all pairs of the column the ranges hold jointly with 95 % confidence.
 *
 * rows      M ≥ 0 ranked rows, best first.
 * verdicts  M(M−1)/2 of them in the order of pairTriangle.
 * returns   ranges in row order, and the rows that the first row doesn't beat, itself included. Not being
 *           distinguishable isn't transitive: there are no groups, never chain.
 * throws    RangeError when the triangle has another size.
 * Source: Mogstad, Romano, Shaikh & Wilhelm 2024 (Review of Economic Studies).
 */
export function rankRanges({ rows, verdicts }: RankRangeInput): RankRanges {
  return rangesOf(rows, verdicts.length, (at) => verdicts[at] ?? 'not distinguishable');
}

/**
 * The same from verdicts as a comparison message packs them, without unpacking half a million of them.
 *
 * throws  RangeError also for a character that is no verdict.
 */
export function packedRankRanges({
  rows,
  verdicts,
}: {
  readonly rows: number;
  readonly verdicts: string;
}): RankRanges {
  return rangesOf(rows, verdicts.length, (at) => unpackVerdict(verdicts.charAt(at)));
}

function rangesOf(rows: number, count: number, verdictAt: (place: number) => Verdict): RankRanges {
  wholeNumber('The number of rows', rows, { min: 0 });
  const pairs = (rows * (rows - 1)) / 2;
  wholeNumber('The number of verdicts', count, { min: pairs, max: pairs });
  const ranges = Array.from({ length: rows }, () => ({ low: 1, high: rows }));
  const beatenByFirst = new Set<number>();
  let place = 0;
  for (let i = 0; i < rows; i++) {
    for (let j = i + 1; j < rows; j++) {
      const verdict = verdictAt(place++);
      if (verdict === 'not distinguishable') continue;
      const [winner, loser] = verdict === 'better' ? [i, j] : [j, i];
      const [above, below] = [ranges[winner], ranges[loser]];
      if (!above || !below) continue;
      above.high -= 1;
      below.low += 1;
      if (winner === 0) beatenByFirst.add(loser);
    }
  }
  return { ranges, tiedWithFirst: ranges.flatMap((_, row) => (beatenByFirst.has(row) ? [] : [row])) };
}

/** Ranked rows, best first, and the verdict of each pair. */
export type RankRangeInput = { readonly rows: number; readonly verdicts: readonly Verdict[] };

/** Ranks a row could have, best and worst, per row; and the rows not distinguishable from the first. */
export type RankRanges = {
  readonly ranges: readonly { readonly low: number; readonly high: number }[];
  readonly tiedWithFirst: readonly number[];
};
