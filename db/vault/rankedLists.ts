import { and, asc, eq } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { rankedLists } from './schema.ts';

export type RankedListRow = typeof rankedLists.$inferSelect;

/** Puts what a season's newest checkpoint ranks in the place of what the one before ranked; all of it is to be compared. */
export async function replaceRankedLists(
  season: string,
  lists: readonly Omit<RankedListRow, 'season' | 'open'>[],
  tx: Vault,
): Promise<void> {
  await tx.delete(rankedLists).where(eq(rankedLists.season, season));
  if (lists.length === 0) return;
  await tx
    .insert(rankedLists)
    .values(lists.map((list) => ({ ...list, season, open: true })))
    .onConflictDoNothing();
}

/** Lists that wait for their comparison. */
export async function openRankedLists(db: Vault): Promise<RankedListRow[]> {
  return db
    .select()
    .from(rankedLists)
    .where(eq(rankedLists.open, true))
    .orderBy(asc(rankedLists.season), asc(rankedLists.track), asc(rankedLists.split));
}

/** Closes a list as that checkpoint ranked it; one that a newer checkpoint brought stays open. */
export async function closeRankedList(
  list: Pick<RankedListRow, 'season' | 'track' | 'split' | 'size'>,
  tx: Vault,
): Promise<void> {
  await tx
    .update(rankedLists)
    .set({ open: false })
    .where(
      and(
        eq(rankedLists.season, list.season),
        eq(rankedLists.track, list.track),
        eq(rankedLists.split, list.split),
        eq(rankedLists.size, list.size),
      ),
    );
}
