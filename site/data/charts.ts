import { columnNumber } from '@vtb/protocol/board/applyTableView.ts';
import type { BoardRow, BoardTable } from '@vtb/protocol/board/table.ts';
import { shortCount } from './amounts.ts';

/** One system in a chart of points. */
export interface ScatterPoint {
  readonly name: string;
  readonly href: string | null;
  /** Null is unknown: drawn apart and open, never at zero. */
  readonly x: number | null;
  readonly xShown: string;
  /** Percent. */
  readonly y: number;
  readonly yShown: string;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly isReplayed: boolean;
}

/** Scores against an amount. */
export interface Scatter {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly xTitle: string;
  readonly xText: (x: number) => string;
  readonly yTitle: string;
  readonly points: readonly ScatterPoint[];
  /** Baselines, as lines across. */
  readonly references: readonly { readonly name: string; readonly y: number }[];
  /** Shown rows that have no score to draw. */
  readonly leftOut: number;
}

const amounts = [
  {
    key: 'tokens',
    column: 'researchTokens',
    title: 'More tokens, better systems?',
    x: 'Tokens that the research agent generated, as its team declares them',
    text: shortCount,
  },
  {
    key: 'hours',
    column: 'hours',
    title: 'More hours, better systems?',
    x: 'Hours of research',
    text: (hours: number) => hours.toLocaleString('en-GB', { maximumFractionDigits: 1 }),
  },
] as const;

/** What charts are made of: the whole board of a season or track, before rows and columns are chosen. */
export interface Charted {
  readonly whole: BoardTable;
  readonly season: { readonly tracks: readonly { readonly id: string; readonly title: string }[] };
}

/** The charts of a board that have at least two known points. */
export function chartsOf(board: Charted): Scatter[] {
  return amounts
    .map((amount) => scatter(amount, board))
    .filter(({ points }) => points.filter(({ x }) => x !== null).length >= 2);
}

/** One chart by its key, however little it has; undefined for an unknown key. */
export function chartOf(key: string, board: Charted): Scatter | undefined {
  const amount = amounts.find((one) => one.key === key);
  return amount === undefined ? undefined : scatter(amount, board);
}

function scatter(amount: (typeof amounts)[number], { whole, season }: Charted): Scatter {
  const [only] = season.tracks;
  const score = only !== undefined && season.tracks.length === 1 ? only.id : 'avg';
  const yTitle = score === 'avg' ? 'Average score, %' : `${only?.title ?? 'Score'}, %`;
  const rows = whole.rows.filter(({ kind }) => kind !== 'baseline');
  const points = rows.flatMap((row) => point(row, score, amount) ?? []);
  return {
    key: amount.key,
    title: amount.title,
    description: `${yTitle.replace(', %', '')} against ${amount.x.toLowerCase()}.`,
    xTitle: amount.x,
    xText: amount.text,
    yTitle,
    points,
    references: whole.rows.flatMap((row) => {
      const share = row.kind === 'baseline' ? columnNumber(row, score) : null;
      return share === null ? [] : [{ name: row.name, y: share * 100 }];
    }),
    leftOut: rows.length - points.length,
  };
}

function point(row: BoardRow, score: string, amount: (typeof amounts)[number]): ScatterPoint | null {
  const share = columnNumber(row, score);
  if (share === null) return null;
  const cell = row.cells[score];
  const interval =
    score === 'avg' ? row.avg?.score?.interval : cell?.kind === 'replayed' ? cell.score.interval : null;
  const x = columnNumber(row, amount.column);
  return {
    name: row.harness === null ? row.name : `${row.name} + ${row.harness}`,
    href: row.kind === 'entry' ? `/entries/${row.id}` : null,
    x,
    xShown: x === null ? 'unknown' : amount.text(x),
    y: share * 100,
    yShown: (share * 100).toFixed(1),
    interval: interval ? { low: interval.low * 100, high: interval.high * 100 } : null,
    isReplayed: row.kind === 'entry',
  };
}
