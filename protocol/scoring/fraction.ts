/**
 * An exact share or mean: numerator / denominator, whole numbers, denominator ≥ 1, not necessarily reduced
 * (73/120 stays 73/120, because the board shows the counts).
 *
 * Counts are plain numbers, so a track's score is JSON as it is; sums over tracks are bigint, because the
 * common denominator of eight tracks leaves 2^53 behind.
 */
export type Fraction = { readonly numerator: Whole; readonly denominator: Whole };

type Whole = number | bigint;

/** A fraction in lowest terms, as bigint, with a positive denominator. */
export type ReducedFraction = { readonly numerator: bigint; readonly denominator: bigint };

/**
 * The same value in lowest terms.
 *
 * throws  RangeError when the denominator is below 1 or a part isn't whole.
 */
export function reduceFraction({ numerator, denominator }: Fraction): ReducedFraction {
  const [top, bottom] = [BigInt(numerator), BigInt(denominator)];
  if (bottom < 1n) throw new RangeError(`Denominator is ${bottom}; it must be at least 1.`);
  const divisor = greatestCommonDivisor(top < 0n ? -top : top, bottom);
  return { numerator: top / divisor, denominator: bottom / divisor };
}

/** The exact sum; the empty sum is 0/1. */
export function addFractions(terms: readonly Fraction[]): ReducedFraction {
  return terms.reduce<ReducedFraction>(
    (sum, term) =>
      reduceFraction({
        numerator: sum.numerator * BigInt(term.denominator) + BigInt(term.numerator) * sum.denominator,
        denominator: sum.denominator * BigInt(term.denominator),
      }),
    { numerator: 0n, denominator: 1n },
  );
}

/**
 * The exact unweighted mean of n ≥ 1 fractions.
 *
 * throws  RangeError when empty: no data shows as a dash, never 0.
 */
export function meanFraction(terms: readonly Fraction[]): ReducedFraction {
  if (terms.length === 0) throw new RangeError('The mean of no fractions is a dash, not a number.');
  const { numerator, denominator } = addFractions(terms);
  return reduceFraction({ numerator, denominator: denominator * BigInt(terms.length) });
}

/** Exact order by cross-multiplication: negative when a < b, 0 when equal, positive when a > b. */
export function compareFractions(a: Fraction, b: Fraction): number {
  const left = BigInt(a.numerator) * BigInt(b.denominator);
  const right = BigInt(b.numerator) * BigInt(a.denominator);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Lowest terms as text: `251/360`, and `0` or `1` where the denominator is 1. */
export function fractionText(fraction: Fraction): string {
  const { numerator, denominator } = reduceFraction(fraction);
  return denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b];
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
