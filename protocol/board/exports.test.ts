import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildBoard } from './buildBoard.ts';
import { exampleEntry, examplePublished, exampleResult } from './exampleFacts.ts';
import { exampleSeason } from './exampleSeason.ts';
import { exportCsv } from './exportCsv.ts';
import { exportMarkdown } from './exportMarkdown.ts';

function boardOf(name: string) {
  return buildBoard({
    season: exampleSeason(['t']),
    entries: [exampleEntry(1, name)],
    published: [examplePublished(1, 't', exampleResult(17))],
    asOf: new Date('2026-07-01T00:00:00Z'),
  });
}

/** A reader of RFC 4180 that knows nothing of the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quoted && character === '"' && text[at + 1] === '"') {
      cell += '"';
      at++;
    } else if (character === '"') quoted = !quoted;
    else if (!quoted && character === ',') {
      rows.at(-1)?.push(cell);
      cell = '';
    } else if (!quoted && character === '\r' && text[at + 1] === '\n') {
      rows.at(-1)?.push(cell);
      cell = '';
      rows.push([]);
      at++;
    } else cell += character;
  }
  return rows.slice(0, -1);
}

it('any name comes back from the CSV, and none can run as a formula', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      const [header = [], row = []] = readCsv(exportCsv(boardOf(name)));
      expect(row.length).toBe(header.length);
      const written = row[header.indexOf('name')] ?? '';
      expect(written.replace(/^'(?=[=+\-@\t\r])/, '')).toBe(name);
      expect(written).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
});

it('the CSV carries the exact fraction, the interval and the grading of every score', () => {
  const [header = [], row = []] = readCsv(exportCsv(boardOf('A')));
  const value = (name: string) => row[header.indexOf(name)];
  expect(value('t')).toBe('42.5');
  expect(value('t exact')).toBe('17/40');
  expect(Number(value('t low'))).toBeLessThan(0.425);
  expect(value('t grading')).toMatch(/^grd_/);
});

it('a name cannot act as Markdown or HTML', () => {
  const text = exportMarkdown(boardOf('[x](javascript:1) <img> | `a` *b*'));
  expect(text).toContain('\\[x\\]\\(javascript:1\\) \\<img\\> \\| \\`a\\` \\*b\\*');
});
