import { reportedAvg } from '../scoring/reportedAvg.ts';
import type { Season } from '../season/definition.ts';
import type { Row } from '../season/row.ts';
import type { BoardRow, Cell } from './table.ts';
import { tenthsText } from './tenthsText.ts';

/** The row of something measured elsewhere: shown as its source prints it, never ranked, without intervals. */
export function reportedRow(row: Row, index: number, season: Season): BoardRow {
  const cells: Record<string, Cell> = {};
  const tenths = season.tracks.map(({ id }) => {
    const score = row.scoreTenths[id];
    cells[id] = score === undefined ? { kind: 'none' } : { kind: 'reported', shown: tenthsText(score) };
    return score ?? null;
  });
  const avg = row.avgTenths === undefined ? reportedAvg(tenths) : tenthsText(row.avgTenths);
  return {
    kind: row.kind,
    id: `${row.kind}-${index + 1}`,
    ...(row.kind === 'reported'
      ? { name: row.researchAgent, harness: row.researchHarness, model: null }
      : { name: row.name, harness: null, model: row.weights }),
    team: null,
    source: row.source,
    complete: tenths.every((score) => score !== null),
    avg: avg === null ? null : { shown: avg, score: null, rank: null, tied: false, rankRange: null },
    cells,
    hours:
      row.hoursTenths === undefined
        ? null
        : { value: row.hoursTenths / 10, shown: tenthsText(row.hoursTenths) },
    researchTokens: null,
    replayTokens: null,
    finalsUsed: null,
  };
}
