import { type Sha256, sha256Schema } from '@vtb/protocol/digest.ts';
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { submissionChunks, teamChunks } from './schema.ts';

/** A chunk that a submission is made of. */
export interface ChunkNeed {
  readonly sha256: string;
  readonly size: number;
}

/** Rows a statement: Postgres takes 65,535 parameters at once. */
const rowsPerInsert = 10_000;

/** Writes down the chunks of a new submission, each digest once. */
export async function addSubmissionChunks(
  submission: string,
  chunks: readonly ChunkNeed[],
  tx: Db,
): Promise<void> {
  for (let start = 0; start < chunks.length; start += rowsPerInsert) {
    await tx
      .insert(submissionChunks)
      .values(
        chunks.slice(start, start + rowsPerInsert).map(({ sha256, size }) => ({ submission, sha256, size })),
      );
  }
}

/** The size a submission gives a chunk, or undefined when the chunk isn't part of it. */
export async function chunkOfSubmission(
  input: { readonly submission: string; readonly sha256: string },
  db: Db,
): Promise<number | undefined> {
  const [row] = await db
    .select({ size: submissionChunks.size })
    .from(submissionChunks)
    .where(and(eq(submissionChunks.submission, input.submission), eq(submissionChunks.sha256, input.sha256)));
  return row?.size;
}

/** Digests of everything a submission is made of. */
export async function chunksOfSubmission(submission: string, db: Db): Promise<string[]> {
  const rows = await db
    .select({ sha256: submissionChunks.sha256 })
    .from(submissionChunks)
    .where(eq(submissionChunks.submission, submission));
  return rows.map(({ sha256 }) => sha256);
}

/** Writes down that a team has sent a chunk's bytes, after they were verified and kept. */
export async function markPossession(chunk: typeof teamChunks.$inferInsert, tx: Db): Promise<void> {
  await tx.insert(teamChunks).values(chunk).onConflictDoNothing();
}

/** What a submission still lacks from its own team: the first digests, and counts over all. */
export interface Missing {
  readonly digests: Sha256[];
  readonly count: number;
  readonly bytes: number;
}

/** Chunks of a submission that this team hasn't sent, whoever else has: at most `limit` digests, in order. */
export async function missingChunks(
  input: { readonly submission: string; readonly team: string; readonly limit: number },
  db: Db,
): Promise<Missing> {
  const lacks = and(eq(submissionChunks.submission, input.submission), isNull(teamChunks.sha256));
  const sent = and(eq(teamChunks.team, input.team), eq(teamChunks.sha256, submissionChunks.sha256));
  const rows = await db
    .select({ sha256: submissionChunks.sha256 })
    .from(submissionChunks)
    .leftJoin(teamChunks, sent)
    .where(lacks)
    .orderBy(asc(submissionChunks.sha256))
    .limit(input.limit);
  const [total] = await db
    .select({
      count: sql<number>`count(*)::int`,
      bytes: sql<number>`coalesce(sum(${submissionChunks.size}), 0)::float8`,
    })
    .from(submissionChunks)
    .leftJoin(teamChunks, sent)
    .where(lacks);
  return {
    digests: rows.map(({ sha256 }) => sha256Schema.parse(sha256)),
    count: total?.count ?? 0,
    bytes: total?.bytes ?? 0,
  };
}
