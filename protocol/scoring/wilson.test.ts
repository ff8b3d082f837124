import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z975 } from './interval.ts';
import { wilson } from './wilson.ts';

const sizes = fc.double({ min: 0.5, max: 1e6, noNaN: true });
const scores = fc.double({ min: 0, max: 1, noNaN: true });

it('lies inside [0, 1] around its score, also where the score touches an end', () => {
  fc.assert(
    fc.property(scores, sizes, (score, n) => {
      const { low, high } = wilson({ score, n });
      expect(0 <= low && low <= score && score <= high && high <= 1).toBe(true);
    }),
  );
  expect(wilson({ score: 0, n: 33 }).low).toBe(0);
  expect(wilson({ score: 1, n: 33 }).high).toBe(1);
});

it('each bound solves the score test it inverts', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.nat(), (n, seed) => {
      const score = (seed % (n + 1)) / n;
      const { low, high } = wilson({ score, n });
      for (const bound of [low, high]) {
        const distance = Math.abs(score - bound);
        expect(distance).toBeCloseTo(z975 * Math.sqrt((bound * (1 - bound)) / n), 7);
      }
    }),
  );
});

it('rises with the score, mirrors failures, and narrows with more data', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), (n, seed) => {
      const K = seed % n;
      const [one, next] = [wilson({ score: K / n, n }), wilson({ score: (K + 1) / n, n })];
      expect(next.low).toBeGreaterThanOrEqual(one.low);
      expect(next.high).toBeGreaterThanOrEqual(one.high);
      const mirrored = wilson({ score: 1 - K / n, n });
      expect(mirrored.low).toBeCloseTo(1 - one.high, 12);
      expect(mirrored.high).toBeCloseTo(1 - one.low, 12);
      const wider = wilson({ score: K / n, n: 2 * n });
      expect(wider.high - wider.low).toBeLessThan(one.high - one.low);
    }),
  );
});

it.each([
  [0, 0],
  [0.5, -1],
  [0.5, Number.NaN],
  [0.5, Infinity],
  [1.01, 5],
  [Number.NaN, 5],
])('score %d on n = %d is refused: no data is a dash', (score, n) => {
  expect(() => wilson({ score, n })).toThrow(RangeError);
});
