import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildBoard } from './buildBoard.ts';
import { exampleEntry, exampleId, examplePublished, exampleResult } from './exampleFacts.ts';
import { exampleSeason } from './exampleSeason.ts';
import { exportMarkdown } from './exportMarkdown.ts';
import type { PublishedFact } from './facts.ts';
import { boardTableSchema } from './table.ts';

const asOf = new Date('2026-07-01T00:00:00Z');

function board(
  tracks: readonly string[],
  published: readonly PublishedFact[],
  rows: readonly unknown[] = [],
) {
  const entries = [...new Set(published.map(({ entry }) => entry))].map((id) => ({
    id,
    team: 'Team',
    agent: `Agent ${id.slice(-2)}`,
    agentHarness: null,
  }));
  return buildBoard({ season: exampleSeason(tracks, rows), entries, published, asOf });
}

function ranksOf(table: ReturnType<typeof board>, track: string) {
  return table.rows.map((row) => {
    const cell = row.cells[track];
    return cell?.kind === 'replayed' ? cell.rank : (cell?.kind ?? 'absent');
  });
}

describe('ranks', () => {
  it('equal exact scores share a rank, the next rank is skipped, and the earlier seal stands first', () => {
    const table = board(
      ['t'],
      [
        examplePublished(4, 't', exampleResult(10)),
        examplePublished(3, 't', exampleResult(20)),
        examplePublished(2, 't', exampleResult(20)),
        examplePublished(1, 't', exampleResult(30)),
      ],
    );
    expect(table.rows.map((row) => [row.id, row.avg?.rank, row.avg?.tied])).toEqual([
      [exampleId('entry', 1), 1, false],
      [exampleId('entry', 2), 2, true],
      [exampleId('entry', 3), 2, true],
      [exampleId('entry', 4), 4, false],
    ]);
  });

  it('scores that print alike but differ are ranked by the exact fraction', () => {
    const table = board(
      ['t'],
      [
        examplePublished(1, 't', exampleResult(3999, 1000)),
        examplePublished(2, 't', exampleResult(4000, 1000)),
      ],
    );
    expect(table.rows.map((row) => [row.avg?.rank, row.avg?.shown])).toEqual([
      [1, '100.0'],
      [2, '100.0'],
    ]);
    expect(table.rows[1]?.avg?.score?.exact).toBe('3999/4000');
  });

  it('rows stand in numeric order of rank also past ten', () => {
    const published = Array.from({ length: 14 }, (_, index) =>
      examplePublished(index + 1, 't', exampleResult(40 - index)),
    );
    const table = board(['t'], published.toReversed());
    expect(ranksOf(table, 't')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('Avg. is compared as an exact fraction over tracks of different sizes', () => {
    const table = board(
      ['t', 'u'],
      [
        examplePublished(1, 't', exampleResult(1, 1)),
        examplePublished(1, 'u', exampleResult(5, 3), { submission: exampleId('submission', 11) }),
        examplePublished(2, 't', exampleResult(2, 1)),
        examplePublished(2, 'u', exampleResult(2, 3), { submission: exampleId('submission', 12) }),
      ],
    );
    expect(table.rows.map((row) => [row.avg?.score?.exact, row.avg?.rank, row.avg?.tied])).toEqual([
      ['1/3', 1, true],
      ['1/3', 1, true],
    ]);
  });
});

describe('what is not a score', () => {
  it('zero is a score and is ranked; a system that could not be loaded is unscored, unranked and not zero', () => {
    const table = board(
      ['t'],
      [
        examplePublished(1, 't', { kind: 'failed', fault: 'system', cause: 'weightsUnloadable' }),
        examplePublished(2, 't', exampleResult(0)),
      ],
    );
    expect(ranksOf(table, 't')).toEqual([1, 'unscored']);
    expect(table.rows[0]?.avg?.shown).toBe('0.0');
    expect(table.rows[1]).toMatchObject({ avg: null, complete: false, replayTokens: null });
    expect(table.rows[1]?.cells.t).toMatchObject({ reason: 'the engine could not load the weights' });
  });

  it('an entry that lacks a track is outside Avg. and below complete ones, but ranked on the tracks it has', () => {
    const table = board(
      ['t', 'u'],
      [
        examplePublished(1, 't', exampleResult(40)),
        examplePublished(2, 't', exampleResult(4)),
        examplePublished(2, 'u', exampleResult(4), { submission: exampleId('submission', 12) }),
      ],
    );
    expect(table.rows.map((row) => [row.id, row.avg?.rank ?? null])).toEqual([
      [exampleId('entry', 2), 1],
      [exampleId('entry', 1), null],
    ]);
    expect(ranksOf(table, 't')).toEqual([2, 1]);
    expect(table.rows[1]?.cells.u).toEqual({ kind: 'none' });
  });

  it('one unknown token count makes the sum unknown, never smaller', () => {
    const unknown = { ...exampleResult(4), totals: { ...exampleResult(4).totals, generatedTokens: null } };
    const table = board(
      ['t', 'u'],
      [
        examplePublished(1, 't', exampleResult(4)),
        examplePublished(1, 'u', unknown, { submission: exampleId('submission', 12) }),
      ],
    );
    expect(table.rows[0]?.replayTokens).toBeNull();
  });

  it('too few tasks give a score without an interval', () => {
    const table = board(['t'], [examplePublished(1, 't', exampleResult(4, 4))]);
    expect(table.rows[0]?.cells.t).toMatchObject({ score: { shown: '25.0', interval: null } });
    expect(table.rows[0]?.avg?.score?.interval).toBeNull();
  });
});

describe('what others measured', () => {
  const rows = [
    {
      kind: 'reported',
      name: 'A + B',
      researchAgent: 'A',
      researchHarness: 'B',
      scoreTenths: { t: 990 },
      avgTenths: 990,
      hoursTenths: 859,
      source: 'a paper',
    },
    { kind: 'baseline', name: 'Initial system', weights: 'Base', scoreTenths: { t: 5 }, source: 'a paper' },
  ];
  it('baselines and reported rows are marked, come last and take no rank from anybody', () => {
    const table = board(['t'], [examplePublished(1, 't', exampleResult(4))], rows);
    expect(table.rows.map((row) => [row.kind, row.name, row.avg?.rank ?? null])).toEqual([
      ['entry', expect.any(String), 1],
      ['baseline', 'Initial system', null],
      ['reported', 'A', null],
    ]);
    expect(table.rows[2]?.cells.t).toEqual({ kind: 'reported', shown: '99.0' });
    expect(table.rows[2]?.hours?.shown).toBe('85.9');
  });
});

it('a withdrawn result keeps its score and its rank, and is marked', () => {
  const table = board(
    ['t'],
    [
      examplePublished(1, 't', exampleResult(40), { withdrawnAt: new Date('2026-06-03T00:00:00Z') }),
      examplePublished(2, 't', exampleResult(4)),
    ],
  );
  expect(ranksOf(table, 't')).toEqual([1, 2]);
  expect(table.rows[0]?.cells.t).toMatchObject({ withdrawnAt: '2026-06-03T00:00:00.000Z' });
});

it('two published results for one cell are refused, not chosen between', () => {
  expect(() =>
    board(['t'], [examplePublished(1, 't', exampleResult(1)), examplePublished(1, 't', exampleResult(2))]),
  ).toThrow(/both claim/);
});

it('sums that no trials could give are refused, not shown', () => {
  const impossible = exampleResult(4);
  const [metric] = impossible.metrics;
  const result = { ...impossible, metrics: [{ ...metric, sumC2: 4000 }] } as typeof impossible;
  expect(() => board(['t'], [examplePublished(1, 't', result)])).toThrow(RangeError);
});

it('the same facts in any order give the same table, and the table is JSON that its schema accepts', () => {
  const facts = fc.uniqueArray(
    fc.record({ entry: fc.integer({ min: 1, max: 20 }), sumC: fc.integer({ min: 0, max: 40 }) }),
    { selector: ({ entry }) => entry, maxLength: 15 },
  );
  fc.assert(
    fc.property(
      facts.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      ),
      ([list, shuffled]) => {
        const [a, b] = [list, shuffled].map((some) =>
          board(
            ['t'],
            some.map(({ entry, sumC }) => examplePublished(entry, 't', exampleResult(sumC))),
          ),
        );
        expect(b).toEqual(a);
        expect(boardTableSchema.parse(JSON.parse(JSON.stringify(a)))).toEqual(a);
      },
    ),
  );
});

it('the golden board: ties, a zero, an unscored, an incomplete, a withdrawn, baselines and reported rows', async () => {
  const entries = Array.from({ length: 14 }, (_, index) => exampleEntry(index + 1));
  const published = entries.flatMap((_, index) => {
    const number = index + 1;
    const first = examplePublished(
      number,
      'alpha',
      exampleResult([37, 30, 30, 28, 27, 26, 25, 24, 23, 22, 21, 0, 11, 5][index] ?? 0),
    );
    if (number === 13) return [first];
    const second =
      number === 14
        ? ({ kind: 'failed', fault: 'system', cause: 'weightsUnloadable' } as const)
        : exampleResult(40 - number, 20);
    const withdrawnAt = number === 4 ? new Date('2026-06-05T00:00:00Z') : null;
    return [
      first,
      examplePublished(number, 'beta', second, {
        submission: exampleId('submission', 100 + number),
        withdrawnAt,
      }),
    ];
  });
  const rows = [
    {
      kind: 'baseline',
      name: 'Initial system',
      weights: 'Base',
      scoreTenths: { alpha: 329, beta: 89 },
      source: 'a paper',
    },
    {
      kind: 'reported',
      name: 'K + C',
      researchAgent: 'K',
      researchHarness: 'C',
      scoreTenths: { alpha: 517 },
      hoursTenths: 730,
      source: 'a paper',
    },
  ];
  const table = buildBoard({ season: exampleSeason(['alpha', 'beta'], rows), entries, published, asOf });
  await expect(exportMarkdown(table)).toMatchFileSnapshot('goldens/fourteenEntries.txt');
});
