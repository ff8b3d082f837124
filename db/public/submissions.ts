import type { SubmissionState } from '@vtb/protocol/states/submission.ts';
import { and, asc, count, desc, eq, inArray } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { attachments, entries, events, gradings, runs, submissions } from './schema.ts';
import type { SubmissionRow } from './submissionState.ts';

/** Adds a submission. */
export async function addSubmission(submission: typeof submissions.$inferInsert, tx: Db): Promise<void> {
  await tx.insert(submissions).values(submission);
}

/** A submission with its run and entry. */
export async function findSubmission(id: string, db: Db) {
  const [row] = await db
    .select({ submission: submissions, run: runs, entry: entries })
    .from(submissions)
    .innerJoin(runs, eq(runs.id, submissions.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .where(eq(submissions.id, id));
  return row;
}
export type SubmissionContext = NonNullable<Awaited<ReturnType<typeof findSubmission>>>;

/** Submissions of a run, newest first, at most 1,000. */
export async function submissionsOfRun(run: string, db: Db): Promise<SubmissionRow[]> {
  return db
    .select()
    .from(submissions)
    .where(eq(submissions.run, run))
    .orderBy(desc(submissions.committedAt), desc(submissions.id))
    .limit(1_000);
}

/** How many of a run's submissions are in one of these states. */
export async function countInStates(
  input: { readonly run: string; readonly states: readonly SubmissionState[] },
  db: Db,
): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(submissions)
    .where(and(eq(submissions.run, input.run), inArray(submissions.state, [...input.states])));
  return row?.count ?? 0;
}

/** Submissions that wait for inspection, the longest waiting first. */
export async function uninspected(limit: number, db: Db): Promise<string[]> {
  const rows = await db
    .select({ id: submissions.id })
    .from(submissions)
    .where(eq(submissions.state, 'checking'))
    .orderBy(asc(submissions.stateAt), asc(submissions.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Gradings of a submission, by number. */
export async function gradingsOfSubmission(submission: string, db: Db) {
  return db.select().from(gradings).where(eq(gradings.submission, submission)).orderBy(asc(gradings.number));
}
export type GradingRow = Awaited<ReturnType<typeof gradingsOfSubmission>>[number];

/** What came, or is still to come, beside a grading's report. */
export async function attachmentsOfGrading(grading: string, db: Db) {
  return db
    .select()
    .from(attachments)
    .where(eq(attachments.grading, grading))
    .orderBy(asc(attachments.sha256));
}

/** State changes of a run's submissions, in the order they happened: what waiting time is computed from. */
export async function stateChangesOfRun(run: string, db: Db) {
  return db
    .select({
      submission: events.submission,
      purpose: submissions.purpose,
      state: events.state,
      at: events.at,
    })
    .from(events)
    .innerJoin(submissions, eq(submissions.id, events.submission))
    .where(and(eq(submissions.run, run), eq(events.kind, 'state')))
    .orderBy(asc(events.id));
}
