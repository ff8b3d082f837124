import { asc, eq, inArray } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { entries } from './schema.ts';

export type EntryRow = typeof entries.$inferSelect;

/** Adds an entry. */
export async function addEntry(entry: EntryRow, tx: Db): Promise<void> {
  await tx.insert(entries).values(entry);
}

/** An entry by id. */
export async function findEntry(id: string, db: Db): Promise<EntryRow | undefined> {
  const [row] = await db.select().from(entries).where(eq(entries.id, id));
  return row;
}

/** Entries of some teams, oldest first. */
export async function entriesOfTeams(teams: readonly string[], db: Db): Promise<EntryRow[]> {
  if (teams.length === 0) return [];
  return db
    .select()
    .from(entries)
    .where(inArray(entries.team, [...teams]))
    .orderBy(asc(entries.createdAt), asc(entries.id))
    .limit(10_000);
}
