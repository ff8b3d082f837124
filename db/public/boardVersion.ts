import { eq, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { seasons } from './schema.ts';

/** Told the season's id whenever its board has changed. */
export const boardChannel = 'vtb_board';

/**
 * Makes every cached board of the season stale; called in the transaction of whatever the board shows. The instant of the
 * last change never goes back, so a board as of that instant holds everything.
 */
export async function bumpBoard(season: string, at: Date, tx: Db): Promise<void> {
  await tx
    .update(seasons)
    .set({
      boardVersion: sql`${seasons.boardVersion} + 1`,
      boardChangedAt: sql`greatest(${seasons.boardChangedAt}, ${at.toISOString()}::timestamptz)`,
    })
    .where(eq(seasons.id, season));
  await tx.execute(sql`SELECT pg_notify(${boardChannel}, ${season})`);
}
