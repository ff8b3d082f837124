import fc from 'fast-check';
import { expect, it } from 'vitest';
import { competitionRanks } from './competitionRanks.ts';
import { compareFractions } from './fraction.ts';

const scores = fc.array(
  fc.option(
    fc
      .integer({ min: 1, max: 12 })
      .chain((denominator) =>
        fc.integer({ min: 0, max: denominator }).map((numerator) => ({ numerator, denominator })),
      ),
  ),
  { maxLength: 25 },
);

it('a rank is one more than the number of strictly better rows; no score has no rank', () => {
  fc.assert(
    fc.property(scores, (rows) => {
      const expected = rows.map((row) =>
        row === null ? null : 1 + rows.filter((other) => other && compareFractions(other, row) > 0).length,
      );
      expect(competitionRanks(rows)).toEqual(expected);
    }),
  );
});

it('scores that differ in the sixteenth digit have different ranks', () => {
  const denominator = 10n ** 20n;
  const [one, next] = [
    { numerator: denominator / 3n, denominator },
    { numerator: denominator / 3n + 1n, denominator },
  ];
  expect(competitionRanks([one, next, one])).toEqual([2, 1, 2]);
});
