import { asc, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { seasons } from './schema.ts';

export type SeasonRow = typeof seasons.$inferSelect;

/** Writes down a season as it was started: a changed definition makes its boards new. */
export async function upsertSeason(
  season: { readonly id: string; readonly definition: string; readonly document: unknown; readonly at: Date },
  db: Db,
): Promise<void> {
  const { id, definition, document, at } = season;
  await db
    .insert(seasons)
    .values({ id, definition, document, boardChangedAt: at })
    .onConflictDoUpdate({
      target: seasons.id,
      set: { definition, document, boardVersion: sql`${seasons.boardVersion} + 1`, boardChangedAt: at },
      setWhere: sql`${seasons.definition} <> ${definition}`,
    });
}

/** Seasons of this instance. */
export async function allSeasons(db: Db): Promise<SeasonRow[]> {
  return db.select().from(seasons).orderBy(asc(seasons.id));
}
