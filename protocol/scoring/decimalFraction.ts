import type { ReducedFraction } from './fraction.ts';
import { reduceFraction } from './fraction.ts';

/**
 * The exact fraction of the shortest decimal that reads back as this double: 0.1 is 1/10, not
 * 3602879701896397/36028797018963968. A verifier writes rewards as decimals, so this is what it meant,
 * and sums of such fractions don't depend on their order.
 *
 * throws  RangeError when not finite.
 */
export function decimalFraction(value: number): ReducedFraction {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!parts) throw new RangeError(`${value} isn't a finite number.`);
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = parts;
  const digits = BigInt(`${sign}${whole}${decimals}`);
  const scale = Number(exponent) - decimals.length;
  return scale >= 0
    ? { numerator: digits * 10n ** BigInt(scale), denominator: 1n }
    : reduceFraction({ numerator: digits, denominator: 10n ** BigInt(-scale) });
}
