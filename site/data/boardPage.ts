import { readSeason, type SeasonRow } from '@vtb/db/public/read/board.ts';
import { readLogPosition } from '@vtb/db/public/read/logPosition.ts';
import { readOpenQueue, type WaitingFinal } from '@vtb/db/public/read/openQueue.ts';
import { readRankedBoard } from '@vtb/db/public/read/rankedBoard.ts';
import { applyTableView } from '@vtb/protocol/board/applyTableView.ts';
import type { BoardTable } from '@vtb/protocol/board/table.ts';
import { readTableView, type TableView } from '@vtb/protocol/board/tableView.ts';
import { trackSeason } from '@vtb/protocol/board/trackSeason.ts';
import type { Season } from '@vtb/protocol/season/definition.ts';
import type { SiteLocals } from './locals.ts';

/** One season's board as an address asks for it. */
export interface BoardPage {
  readonly row: SeasonRow;
  readonly view: TableView;
  /** What the address asks for and this board does not have. */
  readonly ignored: readonly string[];
  /** The season, or the season of one track alone. */
  readonly season: Season;
  /** Every row and column of that season: scales and choices are made of it, so they don't jump between views. */
  readonly whole: BoardTable;
  readonly table: BoardTable;
  readonly asOf: Date;
  /** Leaves of the season's log at that instant. */
  readonly logPosition: number;
  /** Null where the season's queue is not open, and in the past. */
  readonly queue: readonly WaitingFinal[] | null;
}

/** Undefined when there is no such season. */
export async function boardPage(
  input: { readonly season: string; readonly query: URLSearchParams },
  { db, now }: SiteLocals,
): Promise<BoardPage | undefined> {
  const row = await readSeason(input.season, db);
  if (row === undefined) return undefined;
  const { view, ignored } = readTableView(input.query, { season: row.season, now });
  const season = view.track === null ? row.season : trackSeason(row.season, view.track);
  const asOf = view.asOf ?? row.boardChangedAt;
  const whole = await readRankedBoard({ season, asOf }, db);
  return {
    row,
    view,
    ignored,
    season,
    whole,
    table: applyTableView(whole, view),
    asOf,
    logPosition: await readLogPosition({ season: row.id, asOf }, db),
    queue: row.season.openQueue && view.asOf === null ? await readOpenQueue(row.id, db) : null,
  };
}
