import fc from 'fast-check';
import { expect, it } from 'vitest';
import { macroAggregate, microAggregate } from './aggregateDomains.ts';
import { avgMover } from './avgMover.ts';
import { compareFractions, meanFraction } from './fraction.ts';
import { moverMean } from './moverMean.ts';
import { reportedAvg } from './reportedAvg.ts';
import { wilson } from './wilson.ts';

const cells = fc.integer({ min: 1, max: 500 }).chain((n) =>
  fc.integer({ min: 0, max: n }).map((K) => ({
    score: { numerator: K, denominator: n },
    interval: wilson({ score: K / n, n }),
  })),
);
const rows = fc.array(cells, { minLength: 1, maxLength: 8 });

it('Avg. is the exact mean, inside its interval, inside [0, 1]', () => {
  fc.assert(
    fc.property(rows, (row) => {
      const avg = avgMover(row);
      if (!avg) return expect.fail('a full row has an Avg.');
      expect(compareFractions(avg.fraction, meanFraction(row.map(({ score }) => score)))).toBe(0);
      const { low, high } = avg.interval;
      expect(0 <= low && low <= avg.score && avg.score <= high && high <= 1).toBe(true);
    }),
  );
});

it('the order of tracks changes neither the fraction nor, but for the last digits, the interval', () => {
  fc.assert(
    fc.property(rows, (row) => {
      const [forth, back] = [avgMover(row), avgMover([...row].reverse())];
      expect(back?.fraction).toEqual(forth?.fraction);
      expect(back?.interval.low).toBeCloseTo(forth?.interval.low ?? 0, 12);
      expect(back?.interval.high).toBeCloseTo(forth?.interval.high ?? 0, 12);
    }),
  );
});

it('is no wider than the mean of its cells and no narrower than any one of them alone', () => {
  fc.assert(
    fc.property(rows, (row) => {
      const avg = avgMover(row);
      const widths = row.map(({ interval }) => interval.high - interval.low);
      const width = (avg?.interval.high ?? 0) - (avg?.interval.low ?? 0);
      expect(width).toBeLessThanOrEqual(widths.reduce((sum, one) => sum + one, 0) / row.length + 1e-12);
      expect(width).toBeGreaterThanOrEqual(Math.max(...widths) / row.length - 1e-12);
    }),
  );
});

it('any missing cell, and no cell at all, is no Avg.', () => {
  fc.assert(
    fc.property(rows, fc.nat(), (row, at) => {
      expect(avgMover(row)).not.toBeNull();
      expect(avgMover([...row.slice(0, at % row.length), null, ...row.slice(at % row.length)])).toBeNull();
    }),
  );
  expect(avgMover([])).toBeNull();
});

it('three cells at 0 keep their upper width', () => {
  const zero = { score: { numerator: 0, denominator: 33 }, interval: wilson({ score: 0, n: 33 }) };
  expect(avgMover([zero, zero, zero])?.interval.high).toBeCloseTo(zero.interval.high / Math.sqrt(3), 12);
});

it('macro weighs domains alike and micro weighs tasks alike; one domain makes them one', () => {
  const domain = fc
    .integer({ min: 1, max: 80 })
    .chain((n) => fc.record({ n: fc.constant(n), K: fc.integer({ min: 0, max: n }) }));
  fc.assert(
    fc.property(domain, (one) => {
      const [micro, macro] = [microAggregate([one]), macroAggregate([one])];
      expect(compareFractions(micro.score, macro.fraction)).toBe(0);
      expect(macro.interval.low).toBeCloseTo(micro.interval.low, 12);
      expect(compareFractions(macroAggregate([one, one]).fraction, micro.score)).toBe(0);
    }),
  );
  expect(() => macroAggregate([])).toThrow(RangeError);
  expect(() => microAggregate([])).toThrow(RangeError);
});

it('an estimate outside its interval and an empty mean are refused', () => {
  expect(() => moverMean([])).toThrow(RangeError);
  expect(() => moverMean([{ estimate: 0.5, interval: { low: 0.6, high: 0.7 }, weight: 1 }])).toThrow(
    RangeError,
  );
  expect(() => moverMean([{ estimate: Number.NaN, interval: { low: 0, high: 1 }, weight: 1 }])).toThrow(
    RangeError,
  );
});

it('a reported Avg. rounds once, in tenths, and a missing number leaves a dash', () => {
  expect(reportedAvg([329, 89, 203, 45, 467])).toBe('22.7');
  expect(reportedAvg([1000])).toBe('100.0');
  expect([reportedAvg([329, null]), reportedAvg([])]).toEqual([null, null]);
  for (const wrong of [[32.9], [1001], [-1]]) expect(() => reportedAvg(wrong)).toThrow(RangeError);
});
