import { exportedTable } from './exportedTable.ts';
import type { BoardTable } from './table.ts';

/**
 * The board as CSV (RFC 4180, UTF-8, CRLF): every number the table has, one row each.
 *
 * A text that a spreadsheet would run as a formula is led by an apostrophe. Unknown and missing are empty, never 0.
 */
export function exportCsv(table: BoardTable): string {
  const { header, rows } = exportedTable(table);
  return [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
