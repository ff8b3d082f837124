import type { SplitHeld } from '@vtb/protocol/messages/notice.ts';
import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { splitsHeld } from './schema.ts';

export type SplitRow = typeof splitsHeld.$inferSelect;

/**
 * Keeps what the enclave said it holds. `at` is when the enclave said it, so that a notice that comes late does not undo a
 * newer one.
 */
export async function keepSplits(splits: readonly SplitHeld[], at: Date, tx: Db): Promise<void> {
  if (splits.length === 0) return;
  await tx
    .insert(splitsHeld)
    .values(splits.map((split) => ({ ...split, at })))
    .onConflictDoUpdate({
      target: [splitsHeld.season, splitsHeld.track, splitsHeld.purpose, splitsHeld.split],
      set: { at: sql`greatest(${splitsHeld.at}, excluded.at)` },
    });
}

/** The split of each track and purpose of a season that orders name now. */
export async function currentSplits(season: string, db: Db): Promise<SplitRow[]> {
  const newest = new Map<string, SplitRow>();
  for (const row of await splitsOfSeason(season, db)) {
    const key = `${row.track} ${row.purpose}`;
    if (!newest.has(key)) newest.set(key, row);
  }
  return [...newest.values()];
}

/** The split that orders name for a track and purpose: the one the enclave named last. */
export async function currentSplit(
  input: { readonly season: string; readonly track: string; readonly purpose: SplitRow['purpose'] },
  db: Db,
): Promise<SplitRow | undefined> {
  const [row] = await db
    .select()
    .from(splitsHeld)
    .where(
      and(
        eq(splitsHeld.season, input.season),
        eq(splitsHeld.track, input.track),
        eq(splitsHeld.purpose, input.purpose),
      ),
    )
    .orderBy(desc(splitsHeld.at), asc(splitsHeld.split))
    .limit(1);
  return row;
}

/** A split by its digest, as it was said to be held for a track and purpose. */
export async function findSplit(
  input: Pick<SplitRow, 'season' | 'track' | 'purpose' | 'split'>,
  db: Db,
): Promise<SplitRow | undefined> {
  const [row] = await db
    .select()
    .from(splitsHeld)
    .where(
      and(
        eq(splitsHeld.season, input.season),
        eq(splitsHeld.track, input.track),
        eq(splitsHeld.purpose, input.purpose),
        eq(splitsHeld.split, input.split),
      ),
    );
  return row;
}

/** Every split held for a season, in a fixed order. */
export async function splitsOfSeason(season: string, db: Db): Promise<SplitRow[]> {
  return db
    .select()
    .from(splitsHeld)
    .where(eq(splitsHeld.season, season))
    .orderBy(asc(splitsHeld.track), asc(splitsHeld.purpose), desc(splitsHeld.at), asc(splitsHeld.split))
    .limit(1_000);
}
