import { rankRangeText } from './rankRangeText.ts';
import type { BoardRow, BoardTable, RankRange } from './table.ts';

/**
 * The board as a Markdown table, as people read it: percent with its interval, a dash where there is nothing.
 *
 * Ranks shared by several rows are led by "="; in brackets after a rank stand the ranks its row could have. Reported scores are in brackets, and rows that others measured say so.
 */
export function exportMarkdown(table: BoardTable): string {
  const header = ['Rank', 'Entry', 'Team', ...table.columns.map(({ title }) => title)];
  const rows = table.rows.map((row) => [
    rankText(row.avg),
    nameText(row),
    row.team === null ? '–' : escaped(row.team),
    ...table.columns.map((column) => cellText(row, column)),
  ]);
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return `${lines.join('')}\n${escaped(table.title)}, as of ${table.asOf}. Percent with 95 % intervals; rows in brackets were measured elsewhere and are not ranked.\n`;
}

function rankText(
  place: {
    readonly rank: number | null;
    readonly tied: boolean;
    readonly rankRange: RankRange | null;
  } | null,
): string {
  if (place === null || place.rank === null) return '–';
  const range = place.rankRange === null ? '' : ` (${rankRangeText(place.rankRange)})`;
  return `${place.tied ? '=' : ''}${place.rank}${range}`;
}

function nameText(row: BoardRow): string {
  const name = escaped(row.harness === null ? row.name : `${row.name} + ${row.harness}`);
  return row.kind === 'entry' ? name : `${name} (${row.kind})`;
}

function cellText(row: BoardRow, { key, kind }: BoardTable['columns'][number]): string {
  switch (kind) {
    case 'avg': {
      if (row.avg === null) return '–';
      return row.avg.score === null ? `[${row.avg.shown}]` : scoreText(row.avg.score);
    }
    case 'hours':
      return row.hours?.shown ?? '–';
    case 'researchTokens':
      return row.researchTokens?.toString() ?? '–';
    case 'replayTokens':
      return row.replayTokens?.total.toString() ?? '–';
    case 'finalsUsed':
      return row.finalsUsed?.toString() ?? '–';
    case 'track':
      return trackText(row.cells[key]);
  }
}

function trackText(cell: BoardRow['cells'][string] | undefined): string {
  if (cell === undefined || cell.kind === 'none') return '–';
  if (cell.kind === 'reported') return `[${cell.shown}]`;
  const mark = cell.withdrawnAt === null ? '' : ' withdrawn';
  return cell.kind === 'unscored'
    ? `unscored: ${cell.reason}${mark}`
    : `${scoreText(cell.score)} #${rankText(cell)}${mark}`;
}

function scoreText({
  shown,
  interval,
}: {
  readonly shown: string;
  readonly interval: { readonly low: number; readonly high: number } | null;
}): string {
  return interval === null
    ? shown
    : `${shown} (${(interval.low * 100).toFixed(1)}–${(interval.high * 100).toFixed(1)})`;
}

/** Names come from teams: nothing of Markdown or HTML in them may act. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()<>|#&!~]/g, '\\$&');
}
