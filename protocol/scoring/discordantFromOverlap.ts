import type { BinaryPair } from './pairBinary.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * Discordant tasks from two totals and their overlap: b = K_A − o, c = K_B − o.
 *
 * o       tasks both solve.
 * throws  RangeError when the overlap is larger than a total or the union larger than n.
 */
export function discordantFromOverlap({ KA, KB, o, n }: OverlapInput): BinaryPair {
  wholeNumber('n', n, { min: 1 });
  wholeNumber('K_A', KA, { min: 0, max: n });
  wholeNumber('K_B', KB, { min: 0, max: n });
  wholeNumber('The overlap', o, { min: 0, max: Math.min(KA, KB) });
  wholeNumber('The union', KA + KB - o, { min: 0, max: n });
  return { b: KA - o, c: KB - o, n };
}

/** Totals of two systems on n tasks, and how many both solve. */
export type OverlapInput = {
  readonly KA: number;
  readonly KB: number;
  readonly o: number;
  readonly n: number;
};

/**
 * Inner products of two systems' counts: G_AB = Σ c_iA c_iB; ΣD² = G_AA + G_BB − 2 G_AB.
 *
 * throws  RangeError when the lists differ in length.
 */
export function overlapSums(a: readonly number[], b: readonly number[]) {
  const [GAA, GBB, GAB] = [product(a, a), product(b, b), product(a, b)];
  return { GAA, GBB, GAB, sumD2: GAA + GBB - 2 * GAB } as const;
}

function product(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length)
    throw new RangeError(`Results on ${a.length} and ${b.length} tasks aren't comparable.`);
  return a.reduce((total, value, i) => total + value * (b[i] ?? 0), 0);
}
