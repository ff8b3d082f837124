import { readSeason, readSeasons, type SeasonRow } from '@vtb/db/public/read/board.ts';
import { readOpenQueue, type WaitingFinal } from '@vtb/db/public/read/openQueue.ts';
import { readRankedBoard } from '@vtb/db/public/read/rankedBoard.ts';
import type { BoardTable } from '@vtb/protocol/board/table.ts';
import type { SiteLocals } from './locals.ts';

/** Everything the board page shows of one season. */
export interface BoardView {
  readonly row: SeasonRow;
  readonly table: BoardTable;
  /** Null where the season's queue is not open. */
  readonly queue: readonly WaitingFinal[] | null;
}

/** Every season of this instance, open ones first. */
export async function seasonRows(locals: SiteLocals): Promise<SeasonRow[]> {
  const rows = await readSeasons(locals.db);
  return rows.sort((a, b) => Number(a.season.status === 'preview') - Number(b.season.status === 'preview'));
}

/** One season's board as of its last change; undefined when there is no such season. */
export async function boardView(id: string, locals: SiteLocals): Promise<BoardView | undefined> {
  const row = await readSeason(id, locals.db);
  if (row === undefined) return undefined;
  const table = await readRankedBoard({ season: row.season, asOf: row.boardChangedAt }, locals.db);
  return { row, table, queue: row.season.openQueue ? await readOpenQueue(id, locals.db) : null };
}
