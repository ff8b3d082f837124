import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packVerdicts, unpackVerdicts } from '../scoring/packVerdicts.ts';
import { pairTriangle, type Verdict } from '../scoring/pairTriangle.ts';
import { rankRanges } from '../scoring/rankRanges.ts';
import { buildBoard } from './buildBoard.ts';
import { exampleEntry, exampleId, examplePublished, exampleResult } from './exampleFacts.ts';
import { exampleSeason } from './exampleSeason.ts';
import { exportCsv } from './exportCsv.ts';
import { exportMarkdown } from './exportMarkdown.ts';
import { rankedLists } from './rankedLists.ts';
import { boardTableSchema } from './table.ts';
import { withRankRanges } from './withRankRanges.ts';

const scores = [30, 28, 20, 4];

/** Four entries on two tracks, the fifth on the first alone. */
function board() {
  const grading = (entry: number, track: string) => exampleId('grading', entry + (track === 't' ? 0 : 100));
  const published = scores.flatMap((sumC, index) =>
    ['t', 'u'].map((track) =>
      examplePublished(index + 1, track, exampleResult(sumC), {
        submission: exampleId('submission', index + (track === 't' ? 1 : 101)),
        grading: grading(index + 1, track),
      }),
    ),
  );
  return buildBoard({
    season: exampleSeason(['t', 'u']),
    entries: [1, 2, 3, 4, 5].map((number) => exampleEntry(number)),
    published: [...published, examplePublished(5, 't', exampleResult(29))],
    asOf: new Date('2026-07-01T00:00:00Z'),
  });
}

const listOf = (track: string | null) => {
  const list = rankedLists(board()).find((some) => some.track === track);
  if (list === undefined) throw new Error('the list is there');
  return { track, systems: [...list.systems] };
};
const ranges = (table: ReturnType<typeof board>, track: string) =>
  table.rows.map((row) => {
    const cell = row.cells[track];
    return cell?.kind === 'replayed' ? cell.rankRange : undefined;
  });

describe('lists', () => {
  it('a track’s list is its ranked rows best first, and Avg.’s names each complete row by its gradings', () => {
    const ids = (...numbers: number[]) => numbers.map((number) => exampleId('grading', number));
    expect(listOf('t').systems).toEqual(ids(1, 5, 2, 3, 4));
    expect(listOf('u').systems).toEqual(ids(101, 102, 103, 104));
    expect(listOf(null).systems).toEqual([1, 2, 3, 4].map((n) => ids(n, n + 100).join('+')));
  });

  it('a single row has nothing to be compared with', () => {
    const alone = buildBoard({
      season: exampleSeason(['t']),
      entries: [exampleEntry(1)],
      published: [examplePublished(1, 't', exampleResult(4))],
      asOf: new Date('2026-07-01T00:00:00Z'),
    });
    expect(rankedLists(alone)).toEqual([]);
  });
});

describe('ranges', () => {
  it('stand on exactly the rows that were compared, with those not distinguishable from the first', () => {
    // 1 beats 4 and 3; 2 beats 4 alone.
    const table = withRankRanges(board(), [{ ...listOf('u'), verdicts: '=>>=>=' }]);
    expect(ranges(table, 'u')).toEqual([
      { low: 1, high: 2, withFirst: true },
      { low: 1, high: 3, withFirst: true },
      { low: 2, high: 4, withFirst: false },
      { low: 3, high: 4, withFirst: false },
      undefined,
    ]);
    expect(ranges(table, 't')).toEqual([null, null, null, null, null]);
    expect(table.rows.map((row) => row.avg?.rankRange ?? null)).toEqual([null, null, null, null, null]);
    expect(boardTableSchema.parse(JSON.parse(JSON.stringify(table)))).toEqual(table);
  });

  it('in Avg. come from the comparison in Avg. alone, and are in every export', () => {
    const table = withRankRanges(board(), [{ ...listOf(null), verdicts: '=>>=>=' }]);
    expect(table.rows[0]?.avg?.rankRange).toEqual({ low: 1, high: 2, withFirst: true });
    expect(ranges(table, 'u')).toEqual([null, null, null, null, undefined]);
    expect(exportMarkdown(table)).toMatch(/^\| 1 \(1–2\) \|/m);
    const [header = '', first = ''] = exportCsv(table).split('\r\n');
    const value = (name: string) => first.split(',')[header.split(',').indexOf(name)];
    expect([value('rank low'), value('rank high'), value('not distinguishable from first')]).toEqual([
      '1',
      '2',
      'true',
    ]);
  });

  it('are not shown for another list: a row more, a row less, another order, another track', () => {
    const { systems } = listOf('u');
    const others = [
      { track: 'u', systems: [...systems, exampleId('grading', 77)], verdicts: '='.repeat(10) },
      { track: 'u', systems: systems.slice(1), verdicts: '===' },
      { track: 'u', systems: systems.toReversed(), verdicts: '======' },
      { track: null, systems, verdicts: '======' },
      { track: 't', systems, verdicts: '======' },
    ];
    expect(withRankRanges(board(), others)).toEqual(board());
  });

  it('a comparison with another number of verdicts than pairs is refused, not guessed from', () => {
    expect(() => withRankRanges(board(), [{ ...listOf('u'), verdicts: '=====' }])).toThrow(RangeError);
  });
});

const verdict = fc.constantFrom<Verdict>('better', 'worse', 'not distinguishable');

it('any triangle of verdicts comes back from its packed text, and gives the board the ranges of those verdicts', () => {
  fc.assert(
    fc.property(fc.array(verdict, { minLength: 10, maxLength: 10 }), (verdicts) => {
      const packed = packVerdicts(verdicts);
      expect(packed).toHaveLength(pairTriangle(5).length);
      expect(unpackVerdicts(packed)).toEqual(verdicts);
      const table = withRankRanges(board(), [{ ...listOf('t'), verdicts: packed }]);
      const expected = rankRanges({ rows: 5, verdicts });
      const byGrading = new Map(
        table.rows.map(({ cells }) =>
          cells.t?.kind === 'replayed' ? [cells.t.grading, cells.t] : ['', null],
        ),
      );
      for (const [place, system] of listOf('t').systems.entries())
        expect(byGrading.get(system)).toMatchObject({
          rankRange: { ...expected.ranges[place], withFirst: expected.tiedWithFirst.includes(place) },
        });
    }),
    { numRuns: 50 },
  );
});
