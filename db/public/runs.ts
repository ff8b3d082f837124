import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { entries, runs, teams } from './schema.ts';

export type RunRow = typeof runs.$inferSelect;

/** A run with the entry it belongs to. */
export interface RunContext {
  readonly run: RunRow;
  readonly entry: typeof entries.$inferSelect;
}

/** Adds a run; false when the entry already has one on that track. */
export async function addRun(run: RunRow, tx: Db): Promise<boolean> {
  const rows = await tx.insert(runs).values(run).onConflictDoNothing().returning({ id: runs.id });
  return rows.length > 0;
}

/** A run with its entry. */
export async function findRun(id: string, db: Db): Promise<RunContext | undefined> {
  const [row] = await db
    .select({ run: runs, entry: entries })
    .from(runs)
    .innerJoin(entries, eq(entries.id, runs.entry))
    .where(eq(runs.id, id));
  return row;
}

/**
 * A run with its entry, its team and itself locked in this order until the transaction ends. Everything that reads the
 * ledger to decide and then writes to it holds this lock, so that racing requests can't overspend.
 */
export async function lockRun(id: string, tx: Db): Promise<RunContext | undefined> {
  const found = await findRun(id, tx);
  if (found === undefined) return undefined;
  // Not FOR UPDATE: rows that refer to the team may still be added meanwhile.
  await tx.select({ id: teams.id }).from(teams).where(eq(teams.id, found.entry.team)).for('no key update');
  const [run] = await tx.select().from(runs).where(eq(runs.id, id)).for('no key update');
  return run === undefined ? undefined : { run, entry: found.entry };
}

/** Ends an open run; false when it had ended. */
export async function endRun(
  input: { readonly run: string; readonly at: Date; readonly reason: 'final' | 'finished' },
  tx: Db,
): Promise<boolean> {
  const rows = await tx
    .update(runs)
    .set({ endedAt: input.at, endReason: input.reason })
    .where(and(eq(runs.id, input.run), isNull(runs.endedAt)))
    .returning({ id: runs.id });
  return rows.length > 0;
}

/** Opens a run again that a final had ended; false when it was not so. */
export async function reopenRun(run: string, tx: Db): Promise<boolean> {
  const rows = await tx
    .update(runs)
    .set({ endedAt: null, endReason: null })
    .where(and(eq(runs.id, run), eq(runs.endReason, 'final')))
    .returning({ id: runs.id });
  return rows.length > 0;
}

/** Runs of an entry, oldest first. */
export async function runsOfEntry(entry: string, db: Db): Promise<RunRow[]> {
  return db.select().from(runs).where(eq(runs.entry, entry)).orderBy(asc(runs.startedAt));
}
