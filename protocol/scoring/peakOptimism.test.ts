import { expect, it } from 'vitest';
import { peakOptimism, peakOptimismShare } from './peakOptimism.ts';

it.each([
  [1, 0],
  [2, 0.5641895835477563],
  [3, 0.8462843753216345],
  [5, 1.1629644736405196],
  [10, 1.538752730835173],
  [20, 1.8674750597983205],
  [100, 2.507593636441684],
  [1000, 3.241435769133441],
  [1_000_000, 4.862897486196463],
])('the best of %d designs flatters as 40-digit integration says', (J, expected) => {
  const { eJ, chanceFinalBelowPeak } = peakOptimism(J);
  expect(Math.abs(eJ - expected)).toBeLessThan(1e-11);
  expect(chanceFinalBelowPeak).toBe((J - 1) / J);
});

it('a known score has no spread, and no design or task is refused', () => {
  expect(peakOptimismShare({ designs: 5, tasks: 100, score: 1 })).toBe(0);
  expect(() => peakOptimism(0)).toThrow(RangeError);
  expect(() => peakOptimismShare({ designs: 5, tasks: 0, score: 0.5 })).toThrow(RangeError);
  expect(() => peakOptimismShare({ designs: 5, tasks: 10, score: 2 })).toThrow(RangeError);
});
