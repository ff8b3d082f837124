/**
 * Theory of operation. Bytes are kept for teams: a row of `team_chunks` says that a team has sent them. A row goes when no
 * submission of its team needs the chunk any more, and bytes go when no row, no submission and no attachment needs them.
 *
 * Two locks keep this apart from uploads. A commit shares its team's lock until it is visible, so that no row goes between
 * a submission being told "already there" and its need being seen. Whoever writes a row shares the chunk's lock and looks
 * whether the bytes are still there, so that none goes between being stored and being possessed.
 */
import { sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { openGradingStates } from './gradings.ts';
import {
  attachments,
  deletions,
  entries,
  gradings,
  runs,
  submissionChunks,
  submissions,
  teamChunks,
} from './schema.ts';

type Mode = 'shared' | 'alone';

/** Holds a team's possessions until the transaction ends. */
export async function lockPossessions(team: string, mode: Mode, tx: Db): Promise<void> {
  await lock(`possessions ${team}`, mode, tx);
}

/** Holds a chunk's bytes until the transaction ends. */
export async function lockChunk(sha256: string, mode: Mode, tx: Db): Promise<void> {
  await lock(`chunk ${sha256}`, mode, tx);
}

async function lock(name: string, mode: Mode, tx: Db): Promise<void> {
  if (mode === 'shared')
    await tx.execute(sql`SELECT pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`);
  else await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** States whose bytes are needed by nothing, unless a grading is still open. */
const endedStates = ['lapsed', 'refused', 'withdrawn'] as const;

const listOf = (values: readonly string[]) =>
  sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  );

/** Whether a submission (of the outer query's table) needs its bytes: not deleted, and not ended before `since`. */
const needs = (since: Date) => sql`
  NOT EXISTS (SELECT 1 FROM ${deletions} WHERE ${deletions.submission} = ${submissions.id})
  AND (${submissions.state} NOT IN (${listOf(endedStates)})
    OR ${submissions.stateAt} >= ${since.toISOString()}::timestamptz
    OR EXISTS (SELECT 1 FROM ${gradings} WHERE ${gradings.submission} = ${submissions.id}
      AND ${gradings.state} IN (${listOf(openGradingStates)})))`;

/** Whether a submission of the row's team needs a row of team_chunks. */
const neededByTeam = (since: Date) => sql`
  EXISTS (SELECT 1 FROM ${submissionChunks}
    JOIN ${submissions} ON ${submissions.id} = ${submissionChunks.submission}
    JOIN ${runs} ON ${runs.id} = ${submissions.run}
    JOIN ${entries} ON ${entries.id} = ${runs.entry}
    WHERE ${submissionChunks.sha256} = ${teamChunks.sha256} AND ${entries.team} = ${teamChunks.team}
    AND ${needs(since)})`;

/** What a team no longer possesses. */
export interface Forgotten {
  readonly sha256: string;
  readonly size: number;
}

/** Takes from a team what a submission is made of and no other needs; hold the team's possessions alone. */
export async function forgetSystem(
  input: { readonly submission: string; readonly team: string; readonly at: Date },
  tx: Db,
): Promise<Forgotten[]> {
  // A moment from now: what ended earlier needs nothing, however recently.
  const since = new Date(input.at.getTime() + 1);
  const rows = await tx.execute<{ sha256: string; size: number }>(sql`
    DELETE FROM ${teamChunks} WHERE ${teamChunks.team} = ${input.team}
    AND ${teamChunks.sha256} IN (SELECT ${submissionChunks.sha256} FROM ${submissionChunks}
      WHERE ${submissionChunks.submission} = ${input.submission})
    AND NOT ${neededByTeam(since)} RETURNING sha256, size`);
  return [...rows];
}

/** Teams that possess chunks which came before `before` and which nothing has needed since. */
export async function teamsWithLeftovers(before: Date, db: Db): Promise<string[]> {
  const rows = await db.execute<{ team: string }>(sql`
    SELECT DISTINCT ${teamChunks.team} AS team FROM ${teamChunks}
    WHERE ${teamChunks.arrivedAt} < ${before.toISOString()}::timestamptz AND NOT ${neededByTeam(before)} LIMIT 100`);
  return [...rows].map(({ team }) => team);
}

/** Takes such chunks from one team; hold its possessions alone. returns how many. */
export async function forgetLeftovers(
  input: { readonly team: string; readonly before: Date },
  tx: Db,
): Promise<number> {
  const rows = await tx.execute(sql`
    DELETE FROM ${teamChunks} WHERE ${teamChunks.team} = ${input.team}
    AND ${teamChunks.arrivedAt} < ${input.before.toISOString()}::timestamptz
    AND NOT ${neededByTeam(input.before)} RETURNING sha256`);
  return [...rows].length;
}

/** Later than any state's instant. */
const never = new Date('9999-01-01T00:00:00Z');

/** Which of these digests nobody possesses and nothing needs: their bytes may go. */
export async function unneededChunks(digests: readonly string[], db: Db): Promise<string[]> {
  if (digests.length === 0) return [];
  const rows = await db.execute<{ sha256: string }>(sql`
    SELECT asked.sha256 FROM unnest(ARRAY[${listOf(digests)}]::text[]) AS asked(sha256)
    WHERE NOT EXISTS (SELECT 1 FROM ${teamChunks} WHERE ${teamChunks.sha256} = asked.sha256)
    AND NOT EXISTS (SELECT 1 FROM ${attachments} WHERE ${attachments.sha256} = asked.sha256)
    AND NOT EXISTS (SELECT 1 FROM ${submissionChunks}
      JOIN ${submissions} ON ${submissions.id} = ${submissionChunks.submission}
      WHERE ${submissionChunks.sha256} = asked.sha256
      AND ${submissions.state} NOT IN ('committed', 'uploading')
      AND ${needs(never)})`);
  return [...rows].map(({ sha256 }) => sha256);
}
