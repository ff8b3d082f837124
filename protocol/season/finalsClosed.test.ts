import { expect, test } from 'vitest';
import { seasonSchema } from './definition.ts';
import { finalsClosed } from './finalsClosed.ts';
import { seasonFixture } from './season.fixture.ts';

const season = seasonSchema.parse(seasonFixture());
const [sums, repairs] = season.tracks;
if (sums === undefined || repairs === undefined) throw new Error('the fixture has two tracks');
const opens = Date.parse(season.opensAt);
const closes = Date.parse(season.closesAt);

test('a track takes finals from the opening instant until just before the closing one', () => {
  expect(finalsClosed(season, sums, opens - 1)).toMatch(/opens at 2026-01-01/);
  expect(finalsClosed(season, sums, opens)).toBeNull();
  expect(finalsClosed(season, sums, closes - 1)).toBeNull();
  expect(finalsClosed(season, sums, closes)).toMatch(/closed at 2027-01-01/);
});

test('a preview takes no finals: no base facts, no test split, or a whole season', () => {
  const preview = { kind: 'preview' as const, title: 'None' };
  expect(finalsClosed(season, repairs, opens)).toMatch(/preview/);
  expect(finalsClosed(season, { ...sums, base: { kind: 'preview' } }, opens)).toMatch(/preview/);
  expect(finalsClosed(season, { ...sums, splits: { ...sums.splits, test: preview } }, opens)).toMatch(
    /preview/,
  );
  expect(finalsClosed({ ...season, status: 'preview' }, sums, opens)).toMatch(/preview/);
});
