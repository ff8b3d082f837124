import type { UnrankedRow } from './entryRow.ts';
import type { BoardRow } from './table.ts';

/** Complete rows by rank; then those that lack a track, most tracks first; equal ones by seal instant, then id. */
export function orderRows(rows: readonly UnrankedRow[]): BoardRow[] {
  const key = ({ row, scores, sealedAt }: UnrankedRow) => [
    row.avg?.rank ?? Number.POSITIVE_INFINITY,
    -scores.size,
    sealedAt,
  ];
  return [...rows]
    .sort((a, b) => {
      const [left, right] = [key(a), key(b)];
      for (let index = 0; index < left.length; index++) {
        const [x = 0, y = 0] = [left[index], right[index]];
        if (x !== y) return x < y ? -1 : 1;
      }
      return a.row.id < b.row.id ? -1 : a.row.id > b.row.id ? 1 : 0;
    })
    .map(({ row }) => row);
}
