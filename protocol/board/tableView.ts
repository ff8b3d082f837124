import { instantSchema } from '../ids.ts';
import type { Season } from '../season/definition.ts';

/** Rows by where their numbers come from. */
export const rowGroups = ['replayed', 'reported', 'baselines'] as const;
export type RowGroup = (typeof rowGroups)[number];

/** What somebody chose to see of a board. All of it stands in the address, so a view can be linked to, cited and exported. */
export interface TableView {
  /** One track alone; null is the season. */
  readonly track: string | null;
  readonly rows: readonly RowGroup[];
  /** Null: those that hold something. */
  readonly columns: readonly string[] | null;
  /** Null: by rank. */
  readonly sort: { readonly key: string; readonly descending: boolean } | null;
  /** Null: as of the board's last change. */
  readonly asOf: Date | null;
  /** Whether cells say their counts and interval ends in words. */
  readonly counts: boolean;
}

/** The view of an address that chooses nothing. */
export const wholeTable: TableView = {
  track: null,
  rows: rowGroups,
  columns: null,
  sort: null,
  asOf: null,
  counts: false,
};

/**
 * Reads a view from an address's query: `track`, `rows` and `columns` (repeated), `sort` (a column or `name`, led by "-"
 * when descending), `asOf` (a date, meaning its end in UTC, or an instant) and `counts=yes`.
 *
 * returns  the view, and in `ignored` what was asked for and cannot be: an old link still shows a board, and says so.
 */
export function readTableView(
  query: URLSearchParams,
  { season, now }: { readonly season: Season; readonly now: Date },
): { readonly view: TableView; readonly ignored: readonly string[] } {
  const ignored: string[] = [];
  const known = <Value extends string>(name: string, values: readonly Value[]): Value[] =>
    [...new Set(query.getAll(name))].flatMap((asked) => {
      const value = values.find((one) => one === asked);
      if (value === undefined && asked !== '') ignored.push(`${name}=${asked}`);
      return value ?? [];
    });
  const keys = [...new Set([...season.columns, ...season.tracks.map(({ id }) => id)])];
  const [track = null] = known(
    'track',
    season.tracks.map(({ id }) => id),
  );
  const rows = known('rows', rowGroups);
  const columns = known('columns', keys);
  const [sort = null] = known(
    'sort',
    [...keys, 'name'].flatMap((key) => [key, `-${key}`]),
  );
  const asked = query.get('asOf') ?? '';
  const asOf = asked === '' ? null : endOf(asked, now);
  if (asked !== '' && asOf === null) ignored.push(`asOf=${asked}`);
  return {
    view: {
      track,
      rows: rows.length === 0 ? rowGroups : rowGroups.filter((group) => rows.includes(group)),
      columns: columns.length === 0 ? null : columns,
      sort: sort === null ? null : { key: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
      asOf,
      counts: query.get('counts') === 'yes',
    },
    ignored,
  };
}

/** The query that `readTableView` reads as this view: "" for the whole table, otherwise led by "?". */
export function tableViewQuery(view: TableView): string {
  const query = new URLSearchParams();
  if (view.track !== null) query.set('track', view.track);
  if (view.rows.length < rowGroups.length) for (const group of view.rows) query.append('rows', group);
  for (const column of view.columns ?? []) query.append('columns', column);
  if (view.sort !== null) query.set('sort', `${view.sort.descending ? '-' : ''}${view.sort.key}`);
  if (view.asOf !== null) query.set('asOf', view.asOf.toISOString());
  if (view.counts) query.set('counts', 'yes');
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** Null for what is no instant that has begun. A day that has not ended yet ends now. */
function endOf(asked: string, now: Date): Date | null {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(asked);
  const parsed = instantSchema.safeParse(isDay ? `${asked}T00:00:00.000Z` : asked);
  if (!parsed.success) return null;
  const from = new Date(parsed.data);
  if (Number.isNaN(from.getTime()) || from > now) return null;
  if (!isDay) return from;
  const end = new Date(from.getTime() + 86_399_999);
  return end > now ? now : end;
}
