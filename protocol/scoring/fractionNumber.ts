import type { Fraction } from './fraction.ts';

/**
 * The double nearest to an exact fraction, to within one unit in the last place.
 *
 * Parts below 2^53 are divided directly, which is correctly rounded. Larger ones are first cut to a 64-bit
 * quotient: 2^-900 and ratios of thousand-digit numbers come out right where Number(a) / Number(b) is NaN.
 * Values below 2^-1074 come out as 0.
 */
export function fractionNumber({ numerator, denominator }: Fraction): number {
  const [top, bottom] = [Number(numerator), Number(denominator)];
  if (Number.isSafeInteger(top) && Number.isSafeInteger(bottom)) return top / bottom;
  const exactTop = BigInt(numerator);
  return exactTop < 0n ? -bigRatio(-exactTop, BigInt(denominator)) : bigRatio(exactTop, BigInt(denominator));
}

function bigRatio(top: bigint, bottom: bigint): number {
  const shift = bitLength(bottom) - bitLength(top) + quotientBits;
  const quotient = shift >= 0 ? (top << BigInt(shift)) / bottom : top / (bottom << BigInt(-shift));
  // In two steps, because 2^-shift alone underflows before the product does.
  const half = Math.trunc(shift / 2);
  return Number(quotient) * 2 ** -half * 2 ** -(shift - half);
}

/** Eleven bits more than a double holds, so that cutting the quotient can't move the rounding by a unit. */
const quotientBits = 64;

function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}
