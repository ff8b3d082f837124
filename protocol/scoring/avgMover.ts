import type { Fraction, ReducedFraction } from './fraction.ts';
import { meanFraction } from './fraction.ts';
import { fractionNumber } from './fractionNumber.ts';
import type { Interval } from './interval.ts';
import { moverMean } from './moverMean.ts';

/** A track's published score with its interval. */
export type Cell = { readonly score: Fraction; readonly interval: Interval };

/** Avg.: the exact mean (ranks compare this), its nearest double, and its interval in [0, 1]. */
export type Avg = {
  readonly fraction: ReducedFraction;
  readonly score: number;
  readonly interval: Interval;
};

/**
 * Avg.: the unweighted mean of the season's track scores as an exact fraction, with an interval by MOVER over
 * the cells' intervals, because tracks have different tasks and are independent.
 *
 * cells    one per track of the season, in any order; null where there is no published score.
 * returns  null when any cell is missing or there is none: no Avg., no interval, no rank in Avg.
 * throws   RangeError when a score lies outside its interval.
 * Source: Zou & Donner 2008 (moverMean).
 */
export function avgMover(cells: readonly (Cell | null)[]): Avg | null {
  const present = cells.filter((cell) => cell !== null);
  if (present.length === 0 || present.length < cells.length) return null;
  const weight = 1 / present.length;
  const fraction = meanFraction(present.map(({ score }) => score));
  const { interval } = moverMean(
    present.map((cell) => ({
      estimate: fractionNumber(cell.score),
      interval: cell.interval,
      weight,
    })),
  );
  const score = fractionNumber(fraction);
  return {
    fraction,
    score,
    interval: {
      low: Math.max(0, Math.min(score, interval.low)),
      high: Math.min(1, Math.max(score, interval.high)),
    },
  };
}
