import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clusteredSe, intervalTasksMin, shownInterval, taskInterval } from './taskInterval.ts';
import { taskSums } from './taskSums.ts';
import { wilson } from './wilson.ts';

const graded = fc.integer({ min: 1, max: 8 }).chain((k) =>
  fc.record({
    k: fc.constant(k),
    counts: fc.array(fc.integer({ min: 0, max: k }), { minLength: 1, maxLength: 60 }),
  }),
);

it('nEff is p(1−p)/V between n and nk, straight from its definition', () => {
  fc.assert(
    fc.property(graded, ({ counts, k }) => {
      const n = counts.length;
      const { score, nEff } = taskInterval(taskSums({ counts, k }));
      const p = counts.reduce((sum, c) => sum + c / k, 0) / n;
      const V = counts.reduce((sum, c) => sum + (c / k - p) ** 2, 0) / n ** 2;
      const free = V < 1e-12 ? n * k : (p * (1 - p)) / V;
      expect(score).toBeCloseTo(p, 12);
      expect(nEff).toBeCloseTo(score === 0 || score === 1 ? n : Math.min(n * k, Math.max(n, free)), 6);
    }),
  );
});

it('the interval contains its score, stays in [0, 1], and lies between that of n and that of nk trials', () => {
  fc.assert(
    fc.property(graded, ({ counts, k }) => {
      const { score, interval } = taskInterval(taskSums({ counts, k }));
      const [wide, narrow] = [wilson({ score, n: counts.length }), wilson({ score, n: counts.length * k })];
      expect(0 <= interval.low && interval.low <= score && score <= interval.high && interval.high <= 1).toBe(
        true,
      );
      expect(interval.low).toBeGreaterThanOrEqual(wide.low - 1e-12);
      expect(interval.high).toBeLessThanOrEqual(wide.high + 1e-12);
      expect(interval.high).toBeGreaterThanOrEqual(narrow.high - 1e-12);
    }),
  );
});

it('is the same for every order of tasks and, for one trial a task, exactly Wilson', () => {
  fc.assert(
    fc.property(graded, ({ counts, k }) => {
      const backwards = taskInterval(taskSums({ counts: [...counts].reverse(), k }));
      expect(backwards).toEqual(taskInterval(taskSums({ counts, k })));
      const solved = counts.map((c) => Math.min(c, 1));
      const { score, interval } = taskInterval(taskSums({ counts: solved, k: 1 }));
      expect(interval).toEqual(wilson({ score, n: solved.length }));
    }),
  );
});

it('tasks that count alike are worth all their trials, also where rounding makes their spread a hair negative', () => {
  for (let n = 5; n < 60; n++)
    for (const c of [0.1, 0.3, 0.7, 1, 1.1, 1.9]) {
      const { nEff } = taskInterval(taskSums({ counts: new Array<number>(n).fill(c), k: 2 }));
      expect(nEff, `${n} tasks of ${c}`).toBe(2 * n);
    }
});

it('covers the truth in 92–97 % of 2,000 simulated gradings of 30 tasks × 4 trials, where naive Wilson does in 77 %', () => {
  const next = lcg(20261201);
  let [covered, naive] = [0, 0];
  for (let run = 0; run < 2000; run++) {
    // Task difficulties that are .1 or .9 with odds that average .6: trials of a task agree a lot.
    const counts = Array.from({ length: 30 }, () => {
      const difficulty = next() < 0.625 ? 0.9 : 0.1;
      return [0, 0, 0, 0].reduce((c) => c + (next() < difficulty ? 1 : 0), 0);
    });
    const { score, interval } = taskInterval(taskSums({ counts, k: 4 }));
    const plain = wilson({ score, n: 120 });
    if (interval.low <= 0.6 && 0.6 <= interval.high) covered += 1;
    if (plain.low <= 0.6 && 0.6 <= plain.high) naive += 1;
  }
  expect(covered / 2000).toBeGreaterThan(0.92);
  expect(covered / 2000).toBeLessThan(0.97);
  expect(naive / 2000).toBeLessThan(0.82);
});

it('fewer than five tasks show no interval', () => {
  const few = { n: intervalTasksMin - 1, k: 1, sumC: 2 };
  expect(shownInterval(few)).toBeNull();
  expect(shownInterval({ ...few, n: intervalTasksMin })).toEqual(wilson({ score: 0.4, n: 5 }));
});

it('the clustered standard error is the spread of all resamples of tasks', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 }), (counts) => {
      const means = counts
        .reduce<number[]>((sums) => sums.flatMap((sum) => counts.map((c) => sum + c)), [0])
        .map((sum) => sum / counts.length / 4);
      const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
      const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / means.length;
      expect(clusteredSe(taskSums({ counts, k: 4 }))).toBeCloseTo(Math.sqrt(variance), 9);
    }),
  );
});

/** A seeded generator, so that the simulation is the same on every machine. */
function lcg(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
