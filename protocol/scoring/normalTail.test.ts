import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalQuantile, normalTail } from './normalTail.ts';

it.each([
  [0, 0.5],
  [0.5, 0.3085375387259869],
  [1, 0.15865525393145705],
  [2, 0.02275013194817921],
  [2.999, 0.0013543365337271062],
  [3, 0.0013498980316300946],
  [3.001, 0.0013454728250849664],
  [5, 2.866515718791939e-7],
  [8, 6.220960574271784e-16],
  [10, 7.619853024160525e-24],
  [20, 2.7536241186062337e-89],
  [37, 5.725571222524577e-300],
])('P(Z > %d) agrees with 40-digit arithmetic', (z, tail) => {
  expect(Math.abs(normalTail(z) / tail - 1)).toBeLessThan(2e-13);
});

it.each([
  [0.5, 0],
  [0.4, 0.2533471031357998],
  [0.2, 0.8416212335729142],
  [0.025, 1.9599639845400543],
  [0.001, 3.0902323061678136],
  [1e-9, 5.9978070150076865],
  [1e-100, 21.273453560965326],
  [1e-300, 37.0470962993612],
])('the quantile of tail %d agrees with 40-digit arithmetic', (tail, z) => {
  expect(Math.abs(normalQuantile(tail) - z)).toBeLessThan(1e-13 * Math.max(1, z));
});

it('quantile undoes tail, and the tail falls everywhere, also across the seam of its two formulas', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 37, noNaN: true }), (z) => {
      expect(Math.abs(normalQuantile(normalTail(z)) - z)).toBeLessThan(1e-12 * Math.max(1, z));
      expect(normalTail(z + 1e-6)).toBeLessThan(normalTail(z));
    }),
  );
});

it('arguments outside the upper half are refused', () => {
  for (const z of [-1, Number.NaN]) expect(() => normalTail(z)).toThrow(RangeError);
  for (const tail of [0, 0.51, -1, Number.NaN]) expect(() => normalQuantile(tail)).toThrow(RangeError);
});
