import fc from 'fast-check';
import { expect, it } from 'vitest';
import { discordantFromOverlap, overlapSums } from './discordantFromOverlap.ts';
import { pairBinary } from './pairBinary.ts';
import { pairInterval } from './pairInterval.ts';
import { pairRepeated } from './pairRepeated.ts';

const graded = (longest: number) =>
  fc.integer({ min: 1, max: 5 }).chain((k) =>
    fc.array(fc.tuple(fc.nat(k), fc.nat(k)), { minLength: 1, maxLength: longest }).map((tasks) => ({
      a: tasks.map(([a]) => a),
      b: tasks.map(([, b]) => b),
      k,
    })),
  );

it('swapping the systems mirrors the difference and its interval and leaves p alone; so does any order of tasks', () => {
  fc.assert(
    fc.property(graded(60), ({ a, b, k }) => {
      const [one, other] = [pairRepeated({ a, b, k }), pairRepeated({ a: b, b: a, k })];
      expect(other.sumD + one.sumD).toBe(0);
      expect([other.pExact, other.pMid]).toEqual([one.pExact, one.pMid]);
      expect(other.interval.low).toBeCloseTo(-one.interval.high, 12);
      expect(pairRepeated({ a: [...a].reverse(), b: [...b].reverse(), k })).toEqual(one);
      expect(0 < one.pMid && one.pMid <= one.pExact && one.pExact <= 1).toBe(true);
    }),
  );
});

it('the interval stays in [−1, 1] and contains the shown difference from three tasks on', () => {
  fc.assert(
    fc.property(graded(40), ({ a, b, k }) => {
      const { interval, difference, n } = pairRepeated({ a, b, k });
      expect(-1 <= interval.low && interval.low < interval.high && interval.high <= 1).toBe(true);
      if (n >= 3) expect(interval.low <= difference && difference <= interval.high).toBe(true);
    }),
  );
});

it('the histogram has every key from −k to k and gives the sums back', () => {
  fc.assert(
    fc.property(graded(40), ({ a, b, k }) => {
      const { histogram, n, sumD, sumD2 } = pairRepeated({ a, b, k });
      const entries = Object.entries(histogram).map(([d, times]) => [Number(d), times] as const);
      expect(entries.map(([d]) => d).sort((x, y) => x - y)).toEqual(
        Array.from({ length: 2 * k + 1 }, (_, i) => i - k),
      );
      expect(entries.reduce((sum, [, times]) => sum + times, 0)).toBe(n);
      expect(entries.reduce((sum, [d, times]) => sum + d * times, 0)).toBe(sumD);
      expect(entries.reduce((sum, [d, times]) => sum + d * d * times, 0)).toBe(sumD2);
      expect(overlapSums(a, b).sumD2).toBe(sumD2);
    }),
  );
});

it('with one trial a task it is McNemar from discordant counts, also by overlap', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(1), fc.nat(1)), { minLength: 1, maxLength: 80 }), (tasks) => {
      const [a, b] = [tasks.map(([x]) => x), tasks.map(([, y]) => y)];
      const { GAA, GBB, GAB } = overlapSums(a, b);
      const discordant = discordantFromOverlap({ KA: GAA, KB: GBB, o: GAB, n: tasks.length });
      expect(pairBinary(discordant)).toEqual(pairRepeated({ a, b, k: 1 }));
    }),
  );
});

it('stays exact where every task differs and on 1,000 tasks of four trials', () => {
  expect(pairBinary({ b: 350, c: 0, n: 350 }).pExact).toBe(2 ** -349);
  const a = Array.from({ length: 1000 }, (_, i) => i % 5);
  const b = Array.from({ length: 1000 }, (_, i) => (i * 7 + 3) % 5);
  const { pExact, pMid, sumD, sumD2 } = pairRepeated({ a, b, k: 4 });
  // By the normal limit with continuity at the lattice's step of 2; S is 0 here, so nothing is extreme.
  expect(sumD).toBe(0);
  expect(pExact).toBe(1);
  expect(1 - pMid).toBeCloseTo(1 / Math.sqrt(2 * Math.PI * sumD2), 4);
});

it('other task sets, no tasks, and counts that are not whole are refused', () => {
  expect(() => pairRepeated({ a: [1, 0], b: [1], k: 1 })).toThrow(/aren't comparable/);
  expect(() => pairRepeated({ a: [], b: [], k: 1 })).toThrow(RangeError);
  expect(() => pairRepeated({ a: [0.5], b: [1], k: 1 })).toThrow(RangeError);
  expect(() => pairRepeated({ a: [2], b: [1], k: 1 })).toThrow(RangeError);
  expect(() => pairBinary({ b: 3, c: 3, n: 5 })).toThrow(RangeError);
  expect(() => overlapSums([1], [1, 2])).toThrow(RangeError);
});

it.each([
  { n: 0, k: 1, sumD: 0, sumD2: 0 },
  { n: 4, k: 1, sumD: 5, sumD2: 5 },
  { n: 4, k: 2, sumD: 3, sumD2: 2 },
  { n: 4, k: 2, sumD: 8, sumD2: 12 },
  { n: 4, k: 1, sumD: 0, sumD2: 5 },
])('pair sums %o are refused: no differences give them', (sums) => {
  expect(() => pairInterval(sums)).toThrow(RangeError);
});
