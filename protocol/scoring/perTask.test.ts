import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addFractions, compareFractions } from './fraction.ts';
import { avgAtN, passAtK, passHatK } from './perTask.ts';

const trials = fc
  .integer({ min: 1, max: 12 })
  .chain((n) =>
    fc.record({ n: fc.constant(n), c: fc.integer({ min: 0, max: n }), k: fc.integer({ min: 1, max: n }) }),
  );

it('pass@k and pass^k are the shares of k-subsets of trials with some and with only successes', () => {
  fc.assert(
    fc.property(trials, ({ n, c, k }) => {
      let [subsets, some, all] = [0, 0, 0];
      for (let subset = 0; subset < 2 ** n; subset++) {
        const members = Array.from({ length: n }, (_, i) => i).filter((i) => subset & (1 << i));
        if (members.length !== k) continue;
        subsets += 1;
        if (members.some((i) => i < c)) some += 1;
        if (members.every((i) => i < c)) all += 1;
      }
      expect(compareFractions(passAtK({ n, c, k }), { numerator: some, denominator: subsets })).toBe(0);
      expect(compareFractions(passHatK({ n, c, k }), { numerator: all, denominator: subsets })).toBe(0);
    }),
    { numRuns: 60 },
  );
});

it('pass^k ≤ avg ≤ pass@k, all equal at k = 1, and failures mirror successes', () => {
  fc.assert(
    fc.property(trials, ({ n, c, k }) => {
      const [all, mean, some] = [passHatK({ n, c, k }), avgAtN({ n, c }), passAtK({ n, c, k })];
      expect(compareFractions(all, mean)).toBeLessThanOrEqual(0);
      expect(compareFractions(mean, some)).toBeLessThanOrEqual(0);
      expect(passAtK({ n, c, k: 1 })).toEqual(mean);
      expect(passHatK({ n, c, k: 1 })).toEqual(mean);
      expect(addFractions([some, passHatK({ n, c: n - c, k })])).toEqual({ numerator: 1n, denominator: 1n });
    }),
  );
});

it.each([
  { n: 3, c: -1, k: 1 },
  { n: 3, c: 1.5, k: 1 },
  { n: 3, c: 1, k: 0 },
  { n: 3, c: 1, k: Number.NaN },
])('trials %o are refused', (input) => {
  expect(() => passAtK(input)).toThrow(RangeError);
  expect(() => passHatK(input)).toThrow(RangeError);
});
