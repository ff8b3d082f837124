import type { Fraction } from './fraction.ts';
import { compareFractions } from './fraction.ts';

/**
 * Competition ranks (1, 2, 2, 4) on exact fractions, largest first.
 *
 * scores   one per row; null has no score and gets no rank; 0 is a score.
 * returns  ranks in the order given. Equal fractions share a rank, and only they: 53.7 and 53.7 may differ.
 *          The order of rows inside a shared rank (seal instant, then id) is the board's and carries no number.
 */
export function competitionRanks(scores: readonly (Fraction | null)[]): readonly (number | null)[] {
  const ranks = new Array<number | null>(scores.length).fill(null);
  const sorted = scores
    .flatMap((score, row) => (score === null ? [] : [{ score, row }]))
    .sort((a, b) => compareFractions(b.score, a.score));
  let shared = 0;
  sorted.forEach(({ score, row }, place) => {
    const before = sorted[place - 1];
    if (!before || compareFractions(before.score, score) !== 0) shared = place + 1;
    ranks[row] = shared;
  });
  return ranks;
}
