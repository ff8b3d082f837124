import type { BoardRow, BoardTable } from './table.ts';
import type { RowGroup, TableView } from './tableView.ts';

/**
 * The table as a view shows and exports it.
 *
 * Replayed rows stay above those that others measured, whatever the order: the two are never ranked together. Rows with
 * nothing in the sorted column come last in either direction, and equal ones keep the board's order.
 *
 * table  of the view's track and date already.
 */
export function applyTableView(table: BoardTable, view: TableView): BoardTable {
  const rows = table.rows.filter((row) => view.rows.includes(groupOf(row)));
  const { sort } = view;
  const sorted =
    sort === null ? rows : [...rows].sort((a, b) => apart(a, b) || compared(a, b, sort.key, sort.descending));
  const chosen = view.columns?.filter((key) => table.columns.some((column) => column.key === key)) ?? [];
  const holds = (key: string) =>
    chosen.length === 0 ? rows.some((row) => holdsSomething(row, key)) : chosen.includes(key);
  return { ...table, columns: table.columns.filter(({ key }) => holds(key)), rows: sorted };
}

/** Which group of rows a row is in. */
export function groupOf({ kind }: BoardRow): RowGroup {
  return kind === 'entry' ? 'replayed' : kind === 'baseline' ? 'baselines' : 'reported';
}

/** The number that a column of a row is ordered by; null where there is none. */
export function columnNumber(row: BoardRow, key: string): number | null {
  switch (key) {
    case 'avg':
      return row.avg === null ? null : (row.avg.score?.share ?? Number(row.avg.shown) / 100);
    case 'hours':
      return row.hours?.value ?? null;
    case 'researchTokens':
      return row.researchTokens;
    case 'replayTokens':
      return row.replayTokens?.total ?? null;
    case 'finalsUsed':
      return row.finalsUsed;
    default: {
      const cell = row.cells[key];
      if (cell?.kind === 'replayed') return cell.score.share;
      return cell?.kind === 'reported' ? Number(cell.shown) / 100 : null;
    }
  }
}

function holdsSomething(row: BoardRow, key: string): boolean {
  return columnNumber(row, key) !== null || row.cells[key]?.kind === 'unscored';
}

function apart(a: BoardRow, b: BoardRow): number {
  return Number(a.kind !== 'entry') - Number(b.kind !== 'entry');
}

function compared(a: BoardRow, b: BoardRow, key: string, descending: boolean): number {
  const turn = descending ? -1 : 1;
  if (key === 'name') {
    const [left, right] = [nameOf(a), nameOf(b)];
    return left === right ? 0 : turn * (left < right ? -1 : 1);
  }
  const [left, right] = [columnNumber(a, key), columnNumber(b, key)];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return turn * (left - right);
}

function nameOf({ name, harness }: BoardRow): string {
  return `${name} ${harness ?? ''}`.normalize('NFKC').toLowerCase();
}
