import type { Interval } from './interval.ts';
import { moverMean } from './moverMean.ts';
import { normalTail } from './normalTail.ts';
import type { PairSums } from './pairInterval.ts';
import { checkPairSums, pairInterval } from './pairInterval.ts';

/**
 * Two systems' difference in a weighted mean of tracks (or of a macro-averaged track's domains).
 *
 *     difference = Σ w ΣD/nk;  z = difference / √Σ w² ΣD²/(nk)²;  p = 2(1 − Φ(|z|)), 1 when nothing differs
 *
 * parts    one per track: its pair sums and its weight (1/T for Avg.); at least one.
 * returns  difference in [−1, 1], z, p in (0, 1] (0 only beyond z = 38), and the interval by MOVER over the
 *          tracks' own difference intervals.
 * throws   RangeError when empty or when sums are impossible.
 * Source: the randomisation variance ΣD² under exchangeability; Zou & Donner 2008 for the interval.
 */
export function pairAvg(parts: readonly (PairSums & { readonly weight: number })[]): PairAvg {
  if (parts.length === 0) throw new RangeError('Two systems without a common track have no difference.');
  let [difference, variance] = [0, 0];
  for (const part of parts) {
    const { n, k, sumD, sumD2 } = checkPairSums(part);
    difference += (part.weight * sumD) / (n * k);
    variance += (part.weight / (n * k)) ** 2 * sumD2;
  }
  const z = variance === 0 ? 0 : difference / Math.sqrt(variance);
  return {
    difference,
    z,
    p: Math.min(1, 2 * normalTail(Math.abs(z))),
    interval: moverMean(parts.map(moverPart)).interval,
  };
}

/** A pair's difference in Avg. */
export type PairAvg = {
  readonly difference: number;
  readonly z: number;
  readonly p: number;
  readonly interval: Interval;
};

/** With one or two tasks ΣD/nk can lie outside its interval; MOVER needs it inside, so the bound stretches. */
function moverPart(part: PairSums & { readonly weight: number }) {
  const estimate = part.sumD / (part.n * part.k);
  const { low, high } = pairInterval(part);
  const interval = { low: Math.min(low, estimate), high: Math.max(high, estimate) };
  return { estimate, interval, weight: part.weight };
}
