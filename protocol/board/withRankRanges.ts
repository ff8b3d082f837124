import type { Comparison } from '../messages/comparison.ts';
import { packedRankRanges } from '../scoring/rankRanges.ts';
import { type RankedList, rankedLists } from './rankedLists.ts';
import type { BoardRow, BoardTable, Cell, RankRange } from './table.ts';

/** Of a comparison, what ranges follow from. */
export type RankEvidence = Pick<Comparison, 'track' | 'systems' | 'verdicts'>;

/**
 * The board with the ranks each row could have, on every track and in Avg. where a comparison covers exactly the ranked
 * rows in their order. Others stay without: a range from other rows would claim what was not tested.
 *
 * throws  RangeError when a comparison that covers a list has another number of verdicts than it has pairs.
 * Pure; comparisons in any order.
 */
export function withRankRanges(table: BoardTable, comparisons: readonly RankEvidence[]): BoardTable {
  if (comparisons.length === 0) return table;
  const byTrack = new Map<string | null, ReadonlyMap<string, RankRange>>();
  for (const list of rankedLists(table)) {
    const covering = comparisons.find((comparison) => covers(comparison, list));
    if (covering !== undefined) byTrack.set(list.track, rangesOf(list, covering));
  }
  return byTrack.size === 0 ? table : { ...table, rows: table.rows.map((row) => ranged(row, byTrack)) };
}

function covers(comparison: RankEvidence, list: RankedList): boolean {
  return (
    comparison.track === list.track &&
    comparison.systems.length === list.systems.length &&
    comparison.systems.every((system, place) => system === list.systems[place])
  );
}

function rangesOf(list: RankedList, { verdicts }: RankEvidence): ReadonlyMap<string, RankRange> {
  const { ranges, tiedWithFirst } = packedRankRanges({ rows: list.rows.length, verdicts });
  const first = new Set(tiedWithFirst);
  return new Map(
    list.rows.flatMap((row, place) => {
      const range = ranges[place];
      return range === undefined ? [] : [[row, { ...range, withFirst: first.has(place) }] as const];
    }),
  );
}

function ranged(
  row: BoardRow,
  byTrack: ReadonlyMap<string | null, ReadonlyMap<string, RankRange>>,
): BoardRow {
  const cells: Record<string, Cell> = {};
  for (const [track, cell] of Object.entries(row.cells)) {
    const rankRange = byTrack.get(track)?.get(row.id);
    cells[track] = cell.kind === 'replayed' && rankRange !== undefined ? { ...cell, rankRange } : cell;
  }
  const inAvg = byTrack.get(null)?.get(row.id);
  const avg = row.avg !== null && inAvg !== undefined ? { ...row.avg, rankRange: inAvg } : row.avg;
  return { ...row, cells, avg };
}
