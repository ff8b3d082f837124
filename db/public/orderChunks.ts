import { and, eq, inArray } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { openGradingStates } from './gradings.ts';
import { gradings, submissionChunks, submissions } from './schema.ts';

/** Bytes that the courier may fetch for an order. */
export type OrderChunk =
  | { readonly kind: 'manifest'; readonly manifest: unknown }
  | { readonly kind: 'chunk'; readonly size: number };

/**
 * What a digest is within an order; undefined unless the order is open and its system is made of it. One query, whatever
 * the answer.
 */
export async function openOrderChunk(
  input: { readonly order: string; readonly sha256: string },
  db: Db,
): Promise<OrderChunk | undefined> {
  const [row] = await db
    .select({ system: submissions.system, manifest: submissions.manifest, size: submissionChunks.size })
    .from(gradings)
    .innerJoin(submissions, eq(submissions.id, gradings.submission))
    .leftJoin(
      submissionChunks,
      and(eq(submissionChunks.submission, submissions.id), eq(submissionChunks.sha256, input.sha256)),
    )
    .where(and(eq(gradings.order, input.order), inArray(gradings.state, [...openGradingStates])));
  if (row === undefined) return undefined;
  if (row.system === input.sha256) return { kind: 'manifest', manifest: row.manifest };
  return row.size === null ? undefined : { kind: 'chunk', size: row.size };
}
