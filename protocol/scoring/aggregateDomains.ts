import type { Avg } from './avgMover.ts';
import { avgMover } from './avgMover.ts';
import type { Fraction } from './fraction.ts';
import type { Interval } from './interval.ts';
import { wilson } from './wilson.ts';

/** One domain of a track, one trial a task: K of n tasks solved, 0 ≤ K ≤ n, n ≥ 1. */
export type Domain = { readonly K: number; readonly n: number };

/**
 * A track's score over all tasks of its domains alike: Σ K / Σ n with Wilson's interval.
 *
 * throws  RangeError without tasks.
 * The season says whether a track is micro or macro (`aggregate`), and the receipt repeats it.
 */
export function microAggregate(domains: readonly Domain[]): {
  readonly score: Fraction;
  readonly interval: Interval;
} {
  const K = domains.reduce((total, domain) => total + domain.K, 0);
  const n = domains.reduce((total, domain) => total + domain.n, 0);
  return { score: { numerator: K, denominator: n }, interval: wilson({ score: K / n, n }) };
}

/**
 * A track's score as the unweighted mean of its domains' scores, with an interval by MOVER over their Wilson
 * intervals.
 *
 * throws  RangeError without domains or for a domain without tasks.
 * Source: Zou & Donner 2008.
 */
export function macroAggregate(domains: readonly Domain[]): Avg {
  const avg = avgMover(
    domains.map(({ K, n }) => ({
      score: { numerator: K, denominator: n },
      interval: wilson({ score: K / n, n }),
    })),
  );
  if (!avg) throw new RangeError('The mean of no domains is a dash, not a number.');
  return avg;
}
