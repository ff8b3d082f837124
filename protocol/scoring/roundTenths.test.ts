import fc from 'fast-check';
import { expect, it } from 'vitest';
import { roundTenths } from './roundTenths.ts';

const shares = fc
  .bigInt({ min: 1n, max: 10n ** 20n })
  .chain((denominator) =>
    fc.record({ denominator: fc.constant(denominator), numerator: fc.bigInt({ min: 0n, max: denominator }) }),
  );

it('is the nearest tenth of a percent, half up, in exact arithmetic', () => {
  fc.assert(
    fc.property(shares, ({ numerator, denominator }) => {
      const tenths = BigInt(roundTenths({ numerator, denominator }).replace('.', ''));
      // −N ≤ 2·1000·K − 2·tenths·N < N, that is −½ ≤ exact − shown < ½ tenths
      const error = 2000n * numerator - 2n * tenths * denominator;
      expect(error >= -denominator && error < denominator).toBe(true);
    }),
  );
});

it('shows one decimal from 0.0 to 100.0 and never falls as a share grows', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), (denominator) => {
      const shown = Array.from({ length: denominator + 1 }, (_, numerator) =>
        roundTenths({ numerator, denominator }),
      );
      expect([shown[0], shown.at(-1)]).toEqual(['0.0', '100.0']);
      for (const [i, text] of shown.entries()) {
        expect(text).toMatch(/^\d{1,3}\.\d$/);
        expect(Number(text)).toBeGreaterThanOrEqual(Number(shown[i - 1] ?? 0));
      }
    }),
    { numRuns: 20 },
  );
});

it('equal shares print alike whatever their terms', () => {
  fc.assert(
    fc.property(shares, fc.integer({ min: 1, max: 1000 }), ({ numerator, denominator }, times) => {
      const scaled = { numerator: numerator * BigInt(times), denominator: denominator * BigInt(times) };
      expect(roundTenths(scaled)).toBe(roundTenths({ numerator, denominator }));
    }),
  );
});

it.each([
  [0, 0],
  [-1, 10],
  [11, 10],
  [0.5, 10],
])('%d of %d is refused', (numerator, denominator) => {
  expect(() => roundTenths({ numerator, denominator })).toThrow(RangeError);
});
