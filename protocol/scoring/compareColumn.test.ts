import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pairPlace } from '../messages/comparison.ts';
import { compactLetters } from './compactLetters.ts';
import { compareAvg, compareColumn } from './compareColumn.ts';
import { competitionRanks } from './competitionRanks.ts';
import { metricNamed } from './metrics.ts';
import { packVerdicts, unpackVerdicts } from './packVerdicts.ts';
import type { Verdict } from './pairTriangle.ts';
import { pairTriangle } from './pairTriangle.ts';
import { rankRanges } from './rankRanges.ts';

const words: readonly Verdict[] = ['better', 'worse', 'not distinguishable'];

/** Rows of very different strength on one split, so that some verdicts are certain and some are not. */
const column = fc.integer({ min: 1, max: 3 }).chain((k) =>
  fc.integer({ min: 1, max: 30 }).chain((n) =>
    fc
      .array(
        fc
          .nat(10)
          .chain((strength) =>
            fc
              .array(fc.nat(10 * k - 1), { minLength: n, maxLength: n })
              .map((luck) => luck.map((roll) => Math.min(k, Math.floor((roll + strength * k) / 10)))),
          ),
        { minLength: 1, maxLength: 7 },
      )
      .map((rows) => ({ rows, k })),
  ),
);

it('every rank lies in its range, and only better scores beat', () => {
  fc.assert(
    fc.property(column, ({ rows, k }) => {
      const metric = metricNamed('avg@k', k);
      const scored = rows.map((row) => ({ row, score: metric.score(metric.sums(row)) }));
      const ranks = competitionRanks(scored.map(({ score }) => score));
      const { verdicts } = compareColumn({ rows, k });
      const { ranges, tiedWithFirst } = rankRanges({ rows: rows.length, verdicts });
      for (const [i, rank] of ranks.entries()) {
        expect(ranges[i]?.low).toBeLessThanOrEqual(rank ?? 0);
        expect(ranges[i]?.high).toBeGreaterThanOrEqual(rank ?? Infinity);
      }
      expect(tiedWithFirst).toContain(0);
      for (const [at, [i, j]] of pairTriangle(rows.length).entries()) {
        if (verdicts[at] === 'better') expect(ranks[i]).toBeLessThan(ranks[j] ?? 0);
        if (verdicts[at] === 'worse') expect(ranks[i]).toBeGreaterThan(ranks[j] ?? Infinity);
      }
    }),
  );
});

it('a system is never distinguished from its copy, and a clear winner is', () => {
  const [weak, strong] = [new Array<number>(30).fill(0), new Array<number>(30).fill(1)];
  const { verdicts } = compareColumn({ rows: [strong, strong, weak, weak], k: 1 });
  expect(packVerdicts(verdicts)).toBe('=>>>>=');
});

it('one track of Avg. has the track difference, and the same pairs throughout', () => {
  fc.assert(
    fc.property(column, ({ rows, k }) => {
      const track = compareColumn({ rows, k });
      const avg = compareAvg([track.pairs, track.pairs]);
      for (const [at, pair] of track.pairs.entries()) {
        expect(avg.pairs[at]?.difference).toBeCloseTo(pair.difference, 12);
        const { low = 1, high = -1 } = avg.pairs[at]?.interval ?? {};
        expect(low <= pair.difference + 1e-12 && pair.difference <= high + 1e-12).toBe(true);
      }
    }),
  );
  expect(() => compareAvg([])).toThrow(RangeError);
  expect(() => compareAvg([[], [{ n: 1, k: 1, sumD: 0, sumD2: 0 }]])).toThrow(RangeError);
});

it('pairs stand where a comparison message looks for them', () => {
  for (let rows = 0; rows < 12; rows++)
    for (const [at, [i, j]] of pairTriangle(rows).entries()) expect(at).toBe(pairPlace(i, j, rows));
});

it('verdicts survive packing, and other characters are refused', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words)), (verdicts) => {
      expect(unpackVerdicts(packVerdicts(verdicts))).toEqual(verdicts);
    }),
  );
  expect(() => unpackVerdicts('>=x')).toThrow(/"x" is no verdict/);
});

const triangle = fc.nat(7).chain((rows) =>
  fc
    .array(fc.constantFrom(...words), {
      minLength: (rows * (rows - 1)) / 2,
      maxLength: (rows * (rows - 1)) / 2,
    })
    .map((verdicts) => ({ rows, verdicts })),
);

it('a range counts who beats a row and whom it beats', () => {
  fc.assert(
    fc.property(triangle, ({ rows, verdicts }) => {
      const beats = new Set(
        pairTriangle(rows).flatMap(([i, j], at) =>
          verdicts[at] === 'better' ? [`${i}>${j}`] : verdicts[at] === 'worse' ? [`${j}>${i}`] : [],
        ),
      );
      const all = Array.from({ length: rows }, (_, row) => row);
      const { ranges, tiedWithFirst } = rankRanges({ rows, verdicts });
      expect(ranges).toEqual(
        all.map((row) => ({
          low: 1 + all.filter((other) => beats.has(`${other}>${row}`)).length,
          high: rows - all.filter((other) => beats.has(`${row}>${other}`)).length,
        })),
      );
      expect(tiedWithFirst).toEqual(all.filter((row) => !beats.has(`0>${row}`)));
    }),
  );
  expect(() => rankRanges({ rows: 3, verdicts: ['better'] })).toThrow(RangeError);
});

it('two rows share a letter exactly when they are not distinguishable, and no letter is in vain', () => {
  fc.assert(
    fc.property(triangle, ({ rows, verdicts }) => {
      const letters = compactLetters(rows, verdicts) ?? expect.fail('seven rows fit into 26 letters');
      expect(letters).toHaveLength(rows);
      for (const [at, [i, j]] of pairTriangle(rows).entries()) {
        const shared = [...(letters[i] ?? '')].some((letter) => letters[j]?.includes(letter));
        expect(shared).toBe(verdicts[at] === 'not distinguishable');
      }
      for (const row of letters) expect(row).not.toBe('');
    }),
  );
});

it('more groups than letters are given up, not misprinted, and quickly', () => {
  const all = (rows: number): Verdict[] => pairTriangle(rows).map(() => 'better');
  expect(compactLetters(26, all(26))?.at(-1)).toBe('z');
  expect(compactLetters(27, all(27))).toBeNull();
  // 40 rows in 20 pairs that differ only inside a pair: 2^20 sets.
  const pairwise = pairTriangle(40).map(
    ([i, j]): Verdict => (j === i + 1 && i % 2 === 0 ? 'better' : 'not distinguishable'),
  );
  expect(compactLetters(40, pairwise)).toBeNull();
});
