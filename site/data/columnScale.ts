import type { BoardTable } from '@vtb/protocol/board/table.ts';

/** The common scale of a column's intervals, as shares in [0, 1]. */
export interface Scale {
  readonly low: number;
  readonly high: number;
}

/**
 * The scale that holds every interval and reference line of a column, a little wider, at least 10 points wide.
 *
 * key      a track's id, or `avg`.
 * returns  { low, high } with 0 ≤ low < high ≤ 1; the whole range when the column is empty.
 */
export function columnScale(table: BoardTable, key: string): Scale {
  const values = [...intervals(table, key), ...references(table, key)];
  if (values.length === 0) return { low: 0, high: 1 };
  const low = Math.min(...values);
  const high = Math.max(...values);
  const middle = (low + high) / 2;
  const half = Math.max((high - low) * 0.54, 0.05);
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Baselines' scores in a column, as shares: the reference ticks beside every interval. */
export function references(table: BoardTable, key: string): number[] {
  return table.rows
    .filter(({ kind }) => kind === 'baseline')
    .flatMap((row) => {
      const cell = row.cells[key];
      const shown = key === 'avg' ? row.avg?.shown : cell?.kind === 'reported' ? cell.shown : undefined;
      return shown === undefined ? [] : [Number(shown) / 100];
    });
}

function intervals(table: BoardTable, key: string): number[] {
  return table.rows.flatMap((row) => {
    const cell = row.cells[key];
    const score = key === 'avg' ? row.avg?.score : cell?.kind === 'replayed' ? cell.score : undefined;
    if (score === undefined || score === null) return [];
    return score.interval === null ? [score.share] : [score.interval.low, score.interval.high];
  });
}
