import { eq } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { entries, runs, submissions } from './schema.ts';

/** A submission with what every message about it names. */
export interface GradingContext {
  readonly submission: typeof submissions.$inferSelect;
  readonly run: typeof runs.$inferSelect;
  readonly entry: typeof entries.$inferSelect;
}

/** Reads a submission with its run and entry. */
export async function gradingContext(submission: string, db: Db): Promise<GradingContext | undefined> {
  const [row] = await db
    .select({ submission: submissions, run: runs, entry: entries })
    .from(submissions)
    .innerJoin(runs, eq(runs.id, submissions.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .where(eq(submissions.id, submission));
  return row;
}

/** Reads it with the submission's row locked until the transaction ends: what is read then stays true. */
export async function lockGradingContext(submission: string, tx: Db): Promise<GradingContext | undefined> {
  await tx
    .select({ id: submissions.id })
    .from(submissions)
    .where(eq(submissions.id, submission))
    .for('update');
  return gradingContext(submission, tx);
}
