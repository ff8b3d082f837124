import { exampleSeason } from '@vtb/protocol/board/exampleSeason.ts';
import { readTableView, wholeTable } from '@vtb/protocol/board/tableView.ts';
import { expect, it } from 'vitest';
import { bibTex, pinnedAddress } from './citation.ts';

const cited = {
  origin: 'https://bench.example',
  season: { id: 'example', title: 'R&D_50% \\input{x}' },
  view: { ...wholeTable, track: 'first' },
  asOf: new Date('2026-12-02T12:00:00.000Z'),
  logPosition: 214,
};

it('a citation names the instant, the log position and an address that shows the same view for ever', () => {
  const text = bibTex(cited);
  expect(text).toContain('note         = {As of 2026-12-02T12:00:00.000Z, log position 214}');
  const address = new URL(/\\url\{(.*)\}\}/.exec(text)?.[1] ?? '');
  const { view, ignored } = readTableView(address.searchParams, {
    season: exampleSeason(['first']),
    now: new Date('2027-01-01T00:00:00.000Z'),
  });
  expect(ignored).toEqual([]);
  expect(view).toEqual({ ...cited.view, asOf: cited.asOf });
  expect(pinnedAddress(cited)).toBe(address.href);
});

it('a title is text: TeX finds nothing in it to run', () => {
  expect(bibTex(cited)).toContain('{{R\\&D\\_50\\% \\textbackslash{}input\\{x\\}: board of 2026-12-02}}');
});
