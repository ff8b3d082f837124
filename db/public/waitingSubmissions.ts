import { and, asc, eq, notExists, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { gradings, submissions } from './schema.ts';

/** Queued submissions that nothing is ordered for: the split was not there yet, or a gateway died in between. */
export async function waitingSubmissions(limit: number, db: Db): Promise<string[]> {
  const rows = await whyWaiting(limit, db);
  return rows.map(({ submission }) => submission);
}

/** The same with what their teams are told. */
export async function whyWaiting(
  limit: number,
  db: Db,
): Promise<{ readonly submission: string; readonly reason: string | null }[]> {
  return db
    .select({ submission: submissions.id, reason: submissions.stateReason })
    .from(submissions)
    .where(
      and(
        eq(submissions.state, 'queued'),
        notExists(
          db
            .select({ one: sql`1` })
            .from(gradings)
            .where(
              and(
                eq(gradings.submission, submissions.id),
                sql`${gradings.state} IN ('ordered', 'replaying', 'reported')`,
              ),
            ),
        ),
      ),
    )
    .orderBy(asc(submissions.committedAt), asc(submissions.id))
    .limit(limit);
}

/** Says why a queued submission waits, where that changed. returns whether it did. */
export async function sayWhyWaiting(
  input: { readonly submission: string; readonly reason: string | null },
  tx: Db,
): Promise<boolean> {
  const rows = await tx
    .update(submissions)
    .set({ stateReason: input.reason })
    .where(
      and(
        eq(submissions.id, input.submission),
        eq(submissions.state, 'queued'),
        sql`${submissions.stateReason} IS DISTINCT FROM ${input.reason}`,
      ),
    )
    .returning({ id: submissions.id });
  return rows.length > 0;
}
