import { and, asc, eq } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { entries, ledger, runs } from './schema.ts';

export type LedgerLine = typeof ledger.$inferSelect;
export type NewLedgerLine = Omit<LedgerLine, 'id'>;

/** Adds a line; false when this act on this account was already there for the submission. */
export async function addLedgerLine(line: NewLedgerLine, tx: Db): Promise<boolean> {
  const rows = await tx.insert(ledger).values(line).onConflictDoNothing().returning({ id: ledger.id });
  return rows.length > 0;
}

/** Lines about one run: validation and failed tries. */
export async function linesOfRun(run: string, db: Db): Promise<LedgerLine[]> {
  return db.select().from(ledger).where(eq(ledger.run, run)).orderBy(asc(ledger.id));
}

/** Lines about a team's finals on one track of a season, over all of its entries. */
export async function finalsLines(
  input: { readonly team: string; readonly season: string; readonly track: string },
  db: Db,
): Promise<LedgerLine[]> {
  const rows = await db
    .select({ line: ledger })
    .from(ledger)
    .innerJoin(runs, eq(runs.id, ledger.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .where(
      and(
        eq(ledger.team, input.team),
        eq(ledger.account, 'finals'),
        eq(entries.season, input.season),
        eq(runs.track, input.track),
      ),
    )
    .orderBy(asc(ledger.id));
  return rows.map(({ line }) => line);
}

/** Lines about one submission. */
export async function linesOfSubmission(submission: string, db: Db): Promise<LedgerLine[]> {
  return db.select().from(ledger).where(eq(ledger.submission, submission)).orderBy(asc(ledger.id));
}
