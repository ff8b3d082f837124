import type { PairResult } from './pairRepeated.ts';
import { pairDifferences } from './pairRepeated.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * McNemar's paired test of two systems, one yes or no a task.
 *
 *     exact p = min(1, 2 P(X ≤ min(b, c))), X ~ Bin(b + c, ½);  mid-p = exact − P(X = min(b, c)),
 *     and 1 − P(X = b)/2 when b = c; both 1 when b + c = 0
 *
 * b, c     tasks that only the first, only the second solves; whole, b + c ≤ n.
 * returns  as pairRepeated with k = 1.
 * throws   RangeError when the counts don't fit n.
 * Source: Fagerland, Lydersen & Laake 2013; exact equals R's binom.test(b, b + c)$p.value.
 */
export function pairBinary({ b, c, n }: BinaryPair): PairResult {
  wholeNumber('n', n, { min: 1 });
  wholeNumber('b', b, { min: 0, max: n });
  wholeNumber('c', c, { min: 0, max: n - b });
  const differences = Array.from({ length: n }, (_, i) => (i < b ? 1 : i < b + c ? -1 : 0));
  return pairDifferences({ differences, k: 1 });
}

/** Discordant tasks of a pair: b only the first solves, c only the second, of n. */
export type BinaryPair = { readonly b: number; readonly c: number; readonly n: number };
