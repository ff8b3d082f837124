import { wholeNumber } from './wholeNumber.ts';

/**
 * Bits that a final can carry out of the enclave by its score: log2(N + 1), for a numerator in 0…N.
 *
 * throws  RangeError when N isn't whole and ≥ 0.
 */
export function scoreLeakBits(N: number): number {
  return Math.log2(wholeNumber('N', N, { min: 0 }) + 1);
}

/**
 * Bits that published overlaps would carry out: at most log2(min(K_A, K_B) + 1) a pair, summed over pairs. This is
 * why comparisons publish a verdict (log2 3 bits) and never the overlap.
 *
 * throws  RangeError when a total or the number of pairs isn't whole and ≥ 0.
 */
export function overlapLeakBits({ KA, KB, pairs }: OverlapLeak): number {
  const smaller = Math.min(wholeNumber('K_A', KA, { min: 0 }), wholeNumber('K_B', KB, { min: 0 }));
  return wholeNumber('The number of pairs', pairs, { min: 0 }) * Math.log2(smaller + 1);
}

/** Totals of a typical pair, and how many such pairs are published. */
export type OverlapLeak = { readonly KA: number; readonly KB: number; readonly pairs: number };
