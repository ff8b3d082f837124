import { buildBoard } from '@vtb/protocol/board/buildBoard.ts';
import { exampleEntry, examplePublished, exampleResult } from '@vtb/protocol/board/exampleFacts.ts';
import { exampleSeason } from '@vtb/protocol/board/exampleSeason.ts';
import { describe, expect, it } from 'vitest';
import { chartOf, chartsOf } from './charts.ts';
import { scatterCsv, scatterSvg } from './scatterSvg.ts';

const hostile = '=cmd|"<script>alert(1)</script>&\u202e';
const season = exampleSeason(
  ['first'],
  [{ kind: 'baseline', name: 'Initial', weights: 'base', scoreTenths: { first: 105 }, source: 'x' }],
);
const whole = buildBoard({
  season,
  asOf: new Date('2026-06-10T00:00:00.000Z'),
  entries: [exampleEntry(1, hostile), exampleEntry(2), exampleEntry(3)],
  published: [
    examplePublished(1, 'first', exampleResult(8), { researchTokens: 100_000 }),
    examplePublished(2, 'first', exampleResult(36), { researchTokens: 900_000 }),
    examplePublished(3, 'first', exampleResult(20)),
  ],
});
const board = { whole, season };
const tokens = chartOf('tokens', board);
if (tokens === undefined) throw new Error('there is a chart of tokens');
const svg = scatterSvg(tokens, { isFile: false });

describe('a chart of points', () => {
  it('draws what is unknown open and right of the axis, never at zero', () => {
    const open = [...svg.matchAll(/<circle class="chart-point is-open" cx="([\d.]+)"/g)];
    expect(open).toHaveLength(1);
    expect(Number(open[0]?.[1])).toBeGreaterThan(540);
    expect([...svg.matchAll(/<circle class="chart-point" /g)]).toHaveLength(2);
    expect(scatterCsv(tokens)).toContain('Agent 3,,50,');
  });

  it('takes names as text, in the drawing and in the file', () => {
    expect(svg).not.toMatch(/<script|\u202e/);
    expect(svg).toContain('&lt;script&gt;');
    expect(scatterCsv(tokens)).toContain(`"'=cmd|""<script>`);
  });

  it('is named and described for listeners', () => {
    expect(svg).toMatch(/role="img" aria-labelledby="chart-tokens-title chart-tokens-about"/);
    expect(svg).toContain('<title id="chart-tokens-title">More tokens, better systems?</title>');
  });

  it('has a line for each baseline, and an interval for each score that has one', () => {
    expect([...svg.matchAll(/class="chart-reference"/g)]).toHaveLength(1);
    expect([...svg.matchAll(/class="chart-range"/g)]).toHaveLength(
      tokens.points.filter(({ interval }) => interval).length,
    );
  });

  it('is not shown where fewer than two amounts are known', () => {
    const alone = { ...whole, rows: whole.rows.map((row) => ({ ...row, researchTokens: null })) };
    expect(chartsOf({ whole: alone, season }).map(({ key }) => key)).toEqual(['hours']);
  });

  it('of many points writes no name over another', () => {
    const points = Array.from({ length: 120 }, (_, index) => ({
      ...(tokens.points[0] ?? expect.fail('there are points')),
      name: `System number ${index}`,
      x: (index * 7_919) % 1_000_003,
      y: (index * 31) % 97,
    }));
    const names = [...scatterSvg({ ...tokens, points }, { isFile: true }).matchAll(/class="chart-name"/g)];
    expect(names.length).toBeGreaterThan(2);
    expect(names.length).toBeLessThan(60);
  });
});
