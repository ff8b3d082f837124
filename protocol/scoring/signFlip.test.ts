import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareFractions } from './fraction.ts';
import { fractionNumber } from './fractionNumber.ts';
import { signFlip } from './signFlip.ts';
import { signFlipExact } from './signFlipExact.ts';

const differences = (longest: number) => fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: longest });

/** The sum of the differences under each of the 2^m sign patterns. */
function patternSums(all: readonly number[]): readonly number[] {
  const flipped = all.filter((d) => d !== 0);
  return flipped.reduce<readonly number[]>((sums, d) => sums.flatMap((sum) => [sum + d, sum - d]), [0]);
}

it('exact p is the share of sign patterns at least as extreme, counted one by one', () => {
  fc.assert(
    fc.property(differences(11), (all) => {
      const sums = patternSums(all);
      const observed = Math.abs(all.reduce((sum, d) => sum + d, 0));
      const beyond = sums.filter((sum) => Math.abs(sum) > observed).length;
      const level = sums.filter((sum) => Math.abs(sum) === observed).length;
      const { exact, mid } = signFlipExact(all);
      expect(compareFractions(exact, { numerator: beyond + level, denominator: sums.length })).toBe(0);
      const twiceMid = sums.length === 1 ? 2 : 2 * beyond + level;
      expect(compareFractions(mid, { numerator: twiceMid, denominator: 2 * sums.length })).toBe(0);
    }),
    { numRuns: 200 },
  );
});

it('p as a number is the exact fraction to 1e-11 of itself, in every order of tasks', () => {
  fc.assert(
    fc.property(differences(150), (all) => {
      const [numbers, fractions] = [signFlip(all), signFlipExact(all)];
      expect(Math.abs(numbers.exact / fractionNumber(fractions.exact) - 1)).toBeLessThan(1e-11);
      expect(Math.abs(numbers.mid / fractionNumber(fractions.mid) - 1)).toBeLessThan(1e-11);
      expect(signFlip([...all].reverse())).toEqual(numbers);
      expect(signFlip(all.map((d) => -d))).toEqual(numbers);
    }),
  );
});

it('holds for thousands of tasks and for p values as small as a double can be', () => {
  const ones = (count: number) => new Array<number>(count).fill(1);
  expect(signFlip(ones(350)).exact).toBe(2 ** -349);
  expect(signFlip(ones(1000)).exact).toBe(2 ** -999);
  expect(signFlip(ones(5000)).exact).toBe(0);
  const lopsided = [...ones(1500), ...ones(1000).map((d) => -d)];
  const { exact, mid } = signFlipExact(lopsided);
  expect(Math.abs(signFlip(lopsided).exact / fractionNumber(exact) - 1)).toBeLessThan(1e-11);
  expect(Math.abs(signFlip(lopsided).mid / fractionNumber(mid) - 1)).toBeLessThan(1e-11);
});

it('never rejects more often than it says: over all sign patterns, P(p ≤ α) ≤ α', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 9 }), (sizes) => {
      const all = sizes.reduce<number[][]>(
        (signs, d) =>
          signs.flatMap((one) => [
            [...one, d],
            [...one, -d],
          ]),
        [[]],
      );
      const ps = all.map((signed) => signFlip(signed).exact);
      for (const p of ps) expect(ps.filter((other) => other <= p).length / ps.length).toBeLessThanOrEqual(p);
    }),
    { numRuns: 20 },
  );
});
