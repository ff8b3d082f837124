import fc from 'fast-check';
import { expect, it } from 'vitest';
import { metricResultSchema } from '../messages/report.ts';
import { metricResult, scoreOfResult } from './metricResult.ts';
import { metricKinds, metricNamed } from './metrics.ts';

const graded = fc.integer({ min: 1, max: 6 }).chain((trials) =>
  fc.record({
    name: fc.constantFrom(...Object.keys(metricKinds)),
    trials: fc.constant(trials),
    counts: fc.array(fc.nat(trials), { minLength: 1, maxLength: 40 }),
  }),
);

it('what a report says passes its schema and gives the very score and interval back', () => {
  fc.assert(
    fc.property(graded, (input) => {
      const result = metricResultSchema.parse(metricResult(input));
      const { fraction, interval } = scoreOfResult(result);
      const metric = metricNamed(input.name, input.trials);
      expect(fraction).toEqual(metric.score(metric.sums(input.counts)));
      expect(interval).toEqual({ low: result.low, high: result.high });
      expect(result.k).toBe(input.trials);
    }),
  );
});

it('impossible sums, missing squares and another number of trials are refused', () => {
  const result = metricResult({ name: 'avg@k', trials: 4, counts: [4, 2, 0, 1, 3] });
  expect(() => scoreOfResult(result)).not.toThrow();
  for (const wrong of [{ sumC: 21 }, { sumC2: null }, { sumC2: 19 }, { k: 3 }, { name: 'median@4' }])
    expect(() => scoreOfResult({ ...result, ...wrong }), JSON.stringify(wrong)).toThrow(RangeError);
});
