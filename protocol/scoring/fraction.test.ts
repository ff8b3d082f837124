import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decimalFraction } from './decimalFraction.ts';
import { addFractions, compareFractions, fractionText, meanFraction, reduceFraction } from './fraction.ts';
import { fractionNumber } from './fractionNumber.ts';

const fractions = fc.record({
  numerator: fc.integer({ min: -100_000, max: 100_000 }),
  denominator: fc.integer({ min: 1, max: 100_000 }),
});

it('the exact mean is the same in every order and compares as its cross product says', () => {
  fc.assert(
    fc.property(fc.array(fractions, { minLength: 1, maxLength: 9 }), fc.integer(), (terms, seed) => {
      const turned = [...terms.slice(seed % terms.length), ...terms.slice(0, seed % terms.length)].reverse();
      expect(meanFraction(turned)).toEqual(meanFraction(terms));
      const scaled = {
        numerator: addFractions(terms).numerator,
        denominator: addFractions(terms).denominator * BigInt(terms.length),
      };
      expect(compareFractions(meanFraction(terms), scaled)).toBe(0);
    }),
  );
});

it('order of fractions is antisymmetric and agrees with subtraction', () => {
  fc.assert(
    fc.property(fractions, fractions, (a, b) => {
      const difference = addFractions([a, { ...b, numerator: -b.numerator }]).numerator;
      expect(compareFractions(a, b)).toBe(difference > 0n ? 1 : difference < 0n ? -1 : 0);
      expect(compareFractions(a, b) + compareFractions(b, a)).toBe(0);
    }),
  );
});

it('a mean over eight large tracks stays exact although its denominator leaves 2^53 behind', () => {
  const sizes = [4001, 4003, 4007, 4013, 4019, 4021, 4027, 4049];
  const mean = meanFraction(sizes.map((n) => ({ numerator: 1, denominator: n })));
  expect(mean.denominator).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
  expect(fractionNumber(mean)).toBeCloseTo(sizes.reduce((sum, n) => sum + 1 / n, 0) / 8, 15);
});

it('text is in lowest terms, whole numbers without a denominator', () => {
  expect([
    fractionText({ numerator: 402, denominator: 800 }),
    fractionText({ numerator: 0, denominator: 7 }),
  ]).toEqual(['201/400', '0']);
  expect(reduceFraction({ numerator: -6, denominator: 4 })).toEqual({ numerator: -3n, denominator: 2n });
});

it('a denominator below 1 and the mean of nothing are refused', () => {
  expect(() => reduceFraction({ numerator: 1, denominator: 0 })).toThrow(RangeError);
  expect(() => meanFraction([])).toThrow(RangeError);
});

it('the number of a fraction with huge parts is within one unit of the last place', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
      fc.integer({ min: 1, max: 2 ** 50 }),
      fc.integer({ min: 4, max: 3000 }),
      (a, b, shift) => {
        const scale = 3n ** BigInt(shift);
        const number = fractionNumber({ numerator: BigInt(a) * scale, denominator: BigInt(b) * scale });
        expect(Math.abs(number - a / b)).toBeLessThanOrEqual(Math.abs(a / b) * Number.EPSILON);
      },
    ),
  );
});

it('tiny fractions neither vanish too early nor turn into NaN', () => {
  expect(fractionNumber({ numerator: 1n, denominator: 1n << 1000n })).toBe(2 ** -1000);
  expect(fractionNumber({ numerator: 3n << 2000n, denominator: 1n << 3050n })).toBe(3 * 2 ** -1050);
  expect(fractionNumber({ numerator: 1n, denominator: 1n << 5000n })).toBe(0);
  expect(fractionNumber({ numerator: 0n, denominator: 1n << 5000n })).toBe(0);
});

it('a decimal reads back as the number it came from, and short decimals are exact', () => {
  expect(fractionText(decimalFraction(0.1))).toBe('1/10');
  expect(fractionText(decimalFraction(1e-7))).toBe('1/10000000');
  expect(fractionText(decimalFraction(2.5e22))).toBe(`25${'0'.repeat(21)}`);
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }), (value) => {
      expect(fractionNumber(decimalFraction(value)) - value).toBe(0);
    }),
  );
  expect(() => decimalFraction(Number.NaN)).toThrow(RangeError);
});
