import type { ReadLine } from '@vtb/protocol/researchLog/readResearchLog.ts';
import { and, asc, count, desc, eq, gt, isNotNull, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { gradings, researchLog, researchTotals, submissions } from './schema.ts';

export type ResearchLogRow = typeof researchLog.$inferSelect;

/** Adds the lines that a run's log lacks; returns how many there were of each kind. */
export async function addResearchLines(
  input: { readonly run: string; readonly lines: readonly ReadLine[]; readonly receivedAt: Date },
  tx: Db,
): Promise<Record<ResearchLogRow['kind'], number>> {
  const { run, receivedAt } = input;
  const added = { episode: 0, design: 0, usage: 0 };
  if (input.lines.length === 0) return added;
  const rows = await tx
    .insert(researchLog)
    .values(input.lines.map(({ digest, line }) => ({ run, digest, kind: line.kind, line, receivedAt })))
    .onConflictDoNothing({ target: [researchLog.run, researchLog.digest] })
    .returning({ kind: researchLog.kind });
  for (const { kind } of rows) added[kind]++;
  return added;
}

/** Lines of a run's log. */
export async function countResearchLines(run: string, db: Db): Promise<number> {
  const [row] = await db.select({ lines: count() }).from(researchLog).where(eq(researchLog.run, run));
  return row?.lines ?? 0;
}

/** Lines of a run's log after a number, in the order they were taken in. */
export async function researchLinesAfter(
  input: { readonly run: string; readonly after: number; readonly limit: number },
  db: Db,
): Promise<ResearchLogRow[]> {
  return db
    .select()
    .from(researchLog)
    .where(and(eq(researchLog.run, input.run), gt(researchLog.number, input.after)))
    .orderBy(asc(researchLog.number))
    .limit(input.limit);
}

/**
 * Writes down what a run's log declares as generated from an instant on, if that changed: the sum that
 * protocol/researchLog/researchTokens.ts gives for all its usage lines, made where the lines are. The caller holds the
 * run's lock.
 *
 * returns  whether it changed.
 */
export async function noteResearchTotal(
  input: { readonly run: string; readonly at: Date },
  tx: Db,
): Promise<boolean> {
  const { run, at } = input;
  // Of the lines about one call the fullest counts; max() passes over unknown counts where another line knows.
  const calls = tx
    .select({ tokens: sql<number>`max((${researchLog.line} ->> 'outputTokens')::bigint)`.as('tokens') })
    .from(researchLog)
    .where(and(eq(researchLog.run, run), eq(researchLog.kind, 'usage')))
    .groupBy(
      sql`CASE WHEN ${researchLog.line} ->> 'call' IS NULL THEN ${researchLog.digest}
        ELSE concat(${researchLog.line} ->> 'declared', ' ', ${researchLog.line} ->> 'call') END`,
    )
    .as('calls');
  const [sum] = await tx
    .select({
      calls: count(),
      generatedTokens: sql<
        string | null
      >`CASE WHEN count(*) = count(${calls.tokens}) THEN sum(${calls.tokens}) END`,
    })
    .from(calls);
  if (sum === undefined || sum.calls === 0) return false;
  const generatedTokens = sum.generatedTokens === null ? null : Number(sum.generatedTokens);
  const [last] = await tx
    .select({ generatedTokens: researchTotals.generatedTokens })
    .from(researchTotals)
    .where(eq(researchTotals.run, run))
    .orderBy(desc(researchTotals.number))
    .limit(1);
  if ((last?.generatedTokens ?? null) === generatedTokens) return false;
  await tx.insert(researchTotals).values({ run, generatedTokens, at });
  return true;
}

/** Whether a final of this run has been published. */
export async function hasPublished(run: string, db: Db): Promise<boolean> {
  const rows = await db
    .select({ id: gradings.id })
    .from(gradings)
    .innerJoin(submissions, eq(submissions.id, gradings.submission))
    .where(and(eq(submissions.run, run), isNotNull(gradings.publishedAt)))
    .limit(1);
  return rows.length > 0;
}

/** Ids of a run's submissions. */
export async function submissionIdsOf(run: string, db: Db): Promise<Set<string>> {
  const rows = await db.select({ id: submissions.id }).from(submissions).where(eq(submissions.run, run));
  return new Set(rows.map(({ id }) => id));
}
