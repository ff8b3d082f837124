import type { Fraction } from './fraction.ts';

/**
 * A share as the percent that the board prints: one decimal, half up, in integers.
 *
 *     tenths = floor((2000 K + N) / (2 N))
 *
 * fraction  K/N with 0 ≤ K ≤ N, N ≥ 1.
 * returns   text such as "50.3"; 402/800 is exactly 50.25 % and prints 50.3, where toFixed(1) says 50.2.
 * throws    RangeError outside [0, 1] or without data.
 * 1999/2000 prints 100.0: ranks never use rounded values.
 */
export function roundTenths({ numerator, denominator }: Fraction): string {
  const [top, bottom] = [BigInt(numerator), BigInt(denominator)];
  if (bottom < 1n) throw new RangeError('A share of nothing is a dash, not a number.');
  if (top < 0n || top > bottom) throw new RangeError(`${top}/${bottom} isn't a share: it must be in [0, 1].`);
  const tenths = (2000n * top + bottom) / (2n * bottom);
  return `${tenths / 10n}.${tenths % 10n}`;
}
