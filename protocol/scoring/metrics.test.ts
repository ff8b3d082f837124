import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareFractions } from './fraction.ts';
import { fractionNumber } from './fractionNumber.ts';
import { metricKinds, metricNamed } from './metrics.ts';
import { taskInterval } from './taskInterval.ts';

const graded = fc.integer({ min: 1, max: 6 }).chain((k) =>
  fc.record({
    k: fc.constant(k),
    counts: fc.array(fc.integer({ min: 0, max: k }), { minLength: 1, maxLength: 40 }),
  }),
);

describe.each(Object.keys(metricKinds))('%s', (name) => {
  it('scores within [0, 1], in its interval, the same for every order, and never lower for one more success', () => {
    fc.assert(
      fc.property(graded, fc.nat(), ({ counts, k }, seed) => {
        const metric = metricNamed(name, k);
        const sums = metric.sums(counts);
        const score = fractionNumber(metric.score(sums));
        const { low, high } = metric.interval(sums);
        expect(0 <= low && low <= score && score <= high && high <= 1).toBe(true);
        expect(metric.sums([...counts].reverse())).toEqual(sums);
        expect(metric.interval(sums)).toEqual(taskInterval(sums).interval);

        const better = counts.map((c, i) => (i === seed % counts.length ? Math.min(k, c + 1) : c));
        expect(
          compareFractions(metric.score(metric.sums(better)), metric.score(sums)),
        ).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('is 0 of everything without a success and all of it without a failure', () => {
    const metric = metricNamed(name, 4);
    const whole = 7 * metric.outOf;
    expect(metric.score(metric.sums(new Array<number>(7).fill(0)))).toEqual({
      numerator: 0,
      denominator: whole,
    });
    expect(metric.score(metric.sums(new Array<number>(7).fill(4)))).toEqual({
      numerator: whole,
      denominator: whole,
    });
  });

  it('refuses no task and a count that its trials cannot give', () => {
    const metric = metricNamed(name, 3);
    for (const counts of [[], [4], [-1], [Number.NaN]]) expect(() => metric.sums(counts)).toThrow(RangeError);
  });
});

it('pass^k ≤ avg@k ≤ pass@k on the same trials', () => {
  fc.assert(
    fc.property(graded, ({ counts, k }) => {
      const [all, mean, some] = ['pass^k', 'avg@k', 'pass@k'].map((name) => {
        const metric = metricNamed(name, k);
        return fractionNumber(metric.score(metric.sums(counts)));
      });
      expect(all).toBeLessThanOrEqual(mean ?? 0);
      expect(mean).toBeLessThanOrEqual(some ?? 0);
    }),
  );
});

it('names carry the number of trials, and must agree with the track', () => {
  expect([metricNamed('avg@k', 4).name, metricNamed('pass@3', 3).name, metricNamed('mean', 1).name]).toEqual([
    'avg@4',
    'pass@3',
    'mean',
  ]);
  for (const name of ['pass@3', 'avg@4', 'pass^10'])
    expect(() => metricNamed(name, 2)).toThrow(/exactly .* trials/);
  for (const name of [
    'median',
    'pass@',
    'pass',
    'mean@',
    'meank',
    'pass@03',
    'avg@-1',
    'constructor',
    'toString',
    '',
    'pass@k ',
  ]) {
    expect(() => metricNamed(name, 3), name).toThrow(/known: mean, avg@k, pass@k, pass\^k/);
  }
  expect(() => metricNamed('mean', 0)).toThrow(RangeError);
});

it('fractional rewards give an exact mean, and pass@k refuses them', () => {
  const mean = metricNamed('mean', 1);
  expect(compareFractions(mean.score(mean.sums([0.1, 0.2, 0.3])), { numerator: 1, denominator: 5 })).toBe(0);
  expect(() => metricNamed('pass@k', 2).sums([0.5])).toThrow(RangeError);
});
