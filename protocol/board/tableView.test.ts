import { describe, expect, it } from 'vitest';
import { applyTableView } from './applyTableView.ts';
import { buildBoard } from './buildBoard.ts';
import { exampleEntry, examplePublished, exampleResult } from './exampleFacts.ts';
import { exampleSeason } from './exampleSeason.ts';
import { readTableView, rowGroups, type TableView, tableViewQuery, wholeTable } from './tableView.ts';
import { trackSeason } from './trackSeason.ts';

const now = new Date('2026-06-10T15:00:00.000Z');
const others = [
  {
    kind: 'baseline',
    name: 'Initial',
    weights: 'base',
    scoreTenths: { first: 90, second: 100 },
    source: 'table 3',
  },
  {
    kind: 'reported',
    name: 'Elsewhere',
    researchAgent: 'Elsewhere',
    researchHarness: 'Codex',
    scoreTenths: { first: 950 },
    hoursTenths: 300,
    source: 'table 3',
  },
];
const season = exampleSeason(['first', 'second'], others);
const read = (text: string) => readTableView(new URLSearchParams(text), { season, now });
const table = (view: TableView) =>
  applyTableView(
    buildBoard({
      season: view.track === null ? season : trackSeason(season, view.track),
      asOf: now,
      entries: [exampleEntry(1), exampleEntry(2), exampleEntry(3)],
      published: [
        examplePublished(1, 'first', exampleResult(8)),
        examplePublished(2, 'first', exampleResult(36)),
        examplePublished(1, 'second', exampleResult(4)),
        examplePublished(2, 'second', exampleResult(0)),
        examplePublished(3, 'second', exampleResult(40)),
      ],
    }),
    view,
  );
const names = (text: string) => table(read(text).view).rows.map(({ name }) => name);

describe('a view of the board', () => {
  it('is the whole table when the address chooses nothing, and the address is then empty', () => {
    expect(read('')).toEqual({ view: wholeTable, ignored: [] });
    expect(tableViewQuery(wholeTable)).toBe('');
  });

  it('comes back from its own address as it was', () => {
    const text =
      '?track=second&rows=replayed&columns=second&columns=hours&sort=-second&asOf=2026-06-01T12%3A00%3A00.000Z&counts=yes';
    const { view, ignored } = read(text);
    expect(ignored).toEqual([]);
    expect(tableViewQuery(view)).toBe(text);
  });

  it('names what it ignores instead of failing', () => {
    const { view, ignored } = read('track=third&rows=all&sort=size&asOf=yesterday&columns=first&columns=x');
    expect(ignored).toEqual(['track=third', 'rows=all', 'columns=x', 'sort=size', 'asOf=yesterday']);
    expect(view).toEqual({ ...wholeTable, columns: ['first'], rows: rowGroups });
  });

  it('takes a date as its end, today as now, and no day that has not come', () => {
    expect(read('asOf=2026-06-01').view.asOf?.toISOString()).toBe('2026-06-01T23:59:59.999Z');
    expect(read('asOf=2026-06-10').view.asOf).toEqual(now);
    expect(read('asOf=2026-06-11').ignored).toEqual(['asOf=2026-06-11']);
    expect(read('asOf=2026-02-31').ignored).toEqual(['asOf=2026-02-31']);
  });

  it('orders by number, empty cells last either way, and never mixes replayed rows with others', () => {
    expect(names('sort=-first')).toEqual(['Agent 2', 'Agent 1', 'Agent 3', 'Elsewhere', 'Initial']);
    expect(names('sort=first')).toEqual(['Agent 1', 'Agent 2', 'Agent 3', 'Initial', 'Elsewhere']);
    expect(names('sort=-name')).toEqual(['Agent 3', 'Agent 2', 'Agent 1', 'Initial', 'Elsewhere']);
  });

  it('shows the groups that are asked for', () => {
    expect(names('rows=baselines')).toEqual(['Initial']);
    expect(names('rows=reported&rows=replayed')).not.toContain('Initial');
  });

  it('leaves out columns in which no shown row has anything, and keeps those that are asked for', () => {
    const keys = (text: string) => table(read(text).view).columns.map(({ key }) => key);
    expect(keys('rows=baselines')).toEqual(['avg', 'first', 'second']);
    expect(keys('rows=baselines&columns=hours')).toEqual(['hours']);
  });

  it('of one track ranks by that track, with the hours of its runs and without hours over all tracks', () => {
    const { rows, columns } = table(read('track=first').view);
    expect(columns.map(({ key }) => key)).not.toContain('avg');
    expect(rows.map(({ name, avg, hours }) => [name, avg?.rank, hours?.shown])).toEqual([
      ['Agent 2', 1, '10.0'],
      ['Agent 1', 2, '10.0'],
      ['Initial', null, undefined],
      ['Elsewhere', null, undefined],
    ]);
  });
});
