import type { Interval } from './interval.ts';
import { z975 } from './interval.ts';

/**
 * Wilson's 95 % interval for a share.
 *
 *     centre = (p + z²/2n) / (1 + z²/n),  half = z/(1 + z²/n) · √(p(1−p)/n + z²/4n²)
 *
 * score    p in [0, 1].
 * n        how many independent observations p is worth; may be real (see taskInterval), > 0.
 * returns  low and high in [0, 1], always around p; low is exactly 0 at p = 0, high exactly 1 at p = 1.
 * throws   RangeError without data (n = 0) or outside those ranges: no data shows as a dash, never 0.
 * Source: Wilson 1927; equals R's prop.test(K, n, correct = FALSE)$conf.int.
 */
export function wilson({ score, n }: { readonly score: number; readonly n: number }): Interval {
  if (!(n > 0 && n < Infinity)) throw new RangeError(`n is ${n}: no data is a dash, not an interval.`);
  if (!(score >= 0 && score <= 1)) throw new RangeError(`Score is ${score}; it must be in [0, 1].`);
  const z2 = z975 * z975;
  const shrink = 1 + z2 / n;
  const centre = (score + z2 / (2 * n)) / shrink;
  const half = (z975 / shrink) * Math.sqrt((score * (1 - score)) / n + z2 / (4 * n * n));
  // Rounding would leave 1e-18 instead of 0 at p = 0; the score is the bound there.
  return {
    low: Math.max(0, Math.min(score, centre - half)),
    high: Math.min(1, Math.max(score, centre + half)),
  };
}
