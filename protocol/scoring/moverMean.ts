import type { Interval } from './interval.ts';

/**
 * Weighted mean of independent estimates with its 95 % interval by MOVER, the method of variance estimates
 * recovery: each part keeps its own one-sided widths, so three cells at 0 aren't taken for certain.
 *
 *     m = Σ w p,  low = m − √Σ w²(p − l)²,  high = m + √Σ w²(u − p)²
 *
 * parts    estimate p within its interval [l, u], weight w ≥ 0; at least one part.
 * returns  estimate and interval; not clamped, for parts in [0, 1] with weights that sum to 1 stay there.
 * throws   RangeError when empty or when an estimate lies outside its interval.
 * Source: Zou & Donner 2008, Statistics in Medicine 27:1693.
 */
export function moverMean(parts: readonly MoverPart[]): {
  readonly estimate: number;
  readonly interval: Interval;
} {
  if (parts.length === 0) throw new RangeError('The mean of no cells is a dash, not a number.');
  let [estimate, below, above] = [0, 0, 0];
  for (const { estimate: p, interval, weight } of parts) {
    if (!(interval.low <= p && p <= interval.high && weight >= 0))
      throw new RangeError(`Estimate ${p} isn't in its interval [${interval.low}, ${interval.high}].`);
    estimate += weight * p;
    below += (weight * (p - interval.low)) ** 2;
    above += (weight * (interval.high - p)) ** 2;
  }
  return {
    estimate,
    interval: { low: estimate - Math.sqrt(below), high: estimate + Math.sqrt(above) },
  };
}

/** One independent estimate in a weighted mean. */
export type MoverPart = { readonly estimate: number; readonly interval: Interval; readonly weight: number };
