import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkTaskSums, taskSums } from './taskSums.ts';

const graded = fc.integer({ min: 1, max: 8 }).chain((k) =>
  fc.record({
    k: fc.constant(k),
    counts: fc.array(fc.integer({ min: 0, max: k }), { minLength: 1, maxLength: 40 }),
  }),
);

it('sums of real counts always pass the check', () => {
  fc.assert(
    fc.property(graded, (input) => {
      const sums = taskSums(input);
      expect(checkTaskSums(sums)).toEqual(sums);
      expect(sums.n).toBe(input.counts.length);
    }),
  );
});

it('accepts Σc² from the least to the most that whole counts can have, and no further', () => {
  const [n, k] = [3, 4];
  const possible = new Map<number, Set<number>>();
  for (let code = 0; code < (k + 1) ** n; code++) {
    const { sumC, sumC2 } = taskSums({
      counts: [code % 5, Math.floor(code / 5) % 5, Math.floor(code / 25)],
      k,
    });
    possible.set(sumC, (possible.get(sumC) ?? new Set()).add(sumC2));
  }
  for (const [sumC, squares] of possible) {
    const [least, most] = [Math.min(...squares), Math.max(...squares)];
    for (const sumC2 of [least, most]) expect(checkTaskSums({ n, k, sumC, sumC2 }).sumC2).toBe(sumC2);
    for (const sumC2 of [least - 1, most + 1])
      expect(() => checkTaskSums({ n, k, sumC, sumC2 })).toThrow(RangeError);
  }
});

it('fractional rewards sum alike in every order, where plain addition would not', () => {
  const counts = [0.1, 0.2, 0.3, 0.7, 1e-7, 1];
  expect(taskSums({ counts, k: 1 }).sumC).toBe(2.3000001);
  fc.assert(
    fc.property(fc.shuffledSubarray(counts, { minLength: counts.length }), (shuffled) => {
      expect(taskSums({ counts: shuffled, k: 1 })).toEqual(taskSums({ counts, k: 1 }));
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (rewards) => {
      expect(() => checkTaskSums(taskSums({ counts: rewards, k: 1 }))).not.toThrow();
    }),
  );
});

it.each([
  [[], 1],
  [[2], 1],
  [[-1], 1],
  [[Number.NaN], 1],
  [[1], 0],
  [[1], 1.5],
])('counts %j out of %d are refused', (counts, k) => {
  expect(() => taskSums({ counts, k })).toThrow(RangeError);
});

it.each([
  { n: 0, k: 1, sumC: 0 },
  { n: 5, k: 1, sumC: 6 },
  { n: 5, k: 4, sumC: 3 },
  { n: 5, k: 1, sumC: 3, sumC2: 4 },
  { n: 5, k: 1, sumC: Number.NaN },
])('sums %o are refused: no counts give them', (sums) => {
  expect(() => checkTaskSums(sums)).toThrow(RangeError);
});
