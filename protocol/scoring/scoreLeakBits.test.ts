import { expect, it } from 'vitest';
import { overlapLeakBits, scoreLeakBits } from './scoreLeakBits.ts';

it('bits are what it takes to name one of the values: 2^bits values', () => {
  for (const N of [0, 1, 33, 120, 350]) expect(2 ** scoreLeakBits(N)).toBeCloseTo(N + 1, 9);
  expect(overlapLeakBits({ KA: 7, KB: 300, pairs: 2 })).toBe(6);
  expect(overlapLeakBits({ KA: 300, KB: 7, pairs: 0 })).toBe(0);
});

it('counts that are not whole are refused', () => {
  expect(() => scoreLeakBits(-1)).toThrow(RangeError);
  expect(() => overlapLeakBits({ KA: 1.5, KB: 2, pairs: 1 })).toThrow(RangeError);
});
