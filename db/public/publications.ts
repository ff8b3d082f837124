import { and, asc, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { entries, gradings, runs, submissions } from './schema.ts';

/** A final's grading that may be published: its release instant has come. */
export interface DuePublication {
  readonly grading: string;
  readonly submission: string;
  readonly season: string;
}

/** Reported finals whose release instant is not after `now`, in the order in which they were ordered. */
export async function duePublications(
  input: { readonly season: string; readonly now: Date; readonly limit: number },
  db: Db,
): Promise<DuePublication[]> {
  return db
    .select({ grading: gradings.id, submission: gradings.submission, season: entries.season })
    .from(gradings)
    .innerJoin(submissions, eq(submissions.id, gradings.submission))
    .innerJoin(runs, eq(runs.id, submissions.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .where(
      and(
        eq(entries.season, input.season),
        eq(submissions.purpose, 'final'),
        eq(gradings.state, 'reported'),
        isNull(gradings.publishedAt),
        lte(gradings.finishedAt, input.now),
        sql`${submissions.state} IN ('queued', 'grading', 'graded', 'published')`,
      ),
    )
    .orderBy(asc(gradings.orderedAt), asc(gradings.id))
    .limit(input.limit);
}

/** Marks a grading as published at a leaf; false when it already was. */
export async function markPublished(
  input: { readonly grading: string; readonly at: Date; readonly leaf: number },
  tx: Db,
): Promise<boolean> {
  const rows = await tx
    .update(gradings)
    .set({ publishedAt: input.at, leaf: input.leaf })
    .where(and(eq(gradings.id, input.grading), isNull(gradings.publishedAt)))
    .returning({ id: gradings.id });
  return rows.length > 0;
}

/** Moves the pointer to the grading whose result counts now. */
export async function pointTo(
  input: { readonly submission: string; readonly grading: string },
  tx: Db,
): Promise<void> {
  await tx
    .update(submissions)
    .set({ currentGrading: input.grading })
    .where(eq(submissions.id, input.submission));
}
