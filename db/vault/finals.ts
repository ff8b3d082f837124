import { and, eq, sql } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { finals } from './schema.ts';

export type FinalRow = typeof finals.$inferSelect;

/** The final that was entered for a submission. */
export async function finalOf(submission: string, tx: Vault): Promise<FinalRow | undefined> {
  const [row] = await tx.select().from(finals).where(eq(finals.submission, submission));
  return row;
}

/** How many finals a team pseudonym has used on a track. */
export async function finalsUsed(
  input: { readonly season: string; readonly track: string; readonly team: string },
  tx: Vault,
): Promise<number> {
  const { season, track, team } = input;
  const [row] = await tx
    .select({ used: sql<number>`count(*)::int` })
    .from(finals)
    .where(and(eq(finals.season, season), eq(finals.track, track), eq(finals.team, team)));
  return row?.used ?? 0;
}

/** Enters a final; the second time changes nothing. */
export async function enterFinal(row: FinalRow, tx: Vault): Promise<void> {
  await tx.insert(finals).values(row).onConflictDoNothing();
}
