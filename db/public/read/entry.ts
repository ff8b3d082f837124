import { sha256Schema } from '@vtb/protocol/digest.ts';
import { resultSchema } from '@vtb/protocol/messages/report.ts';
import type { PublicEntry } from '@vtb/protocol/wire/board.ts';
import { and, asc, eq, isNotNull } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { entries, gradings, runs, submissions, teams } from '../schema.ts';
import { readSeason } from './board.ts';
import { readRankedBoard } from './rankedBoard.ts';

/** An entry as everybody may see it; undefined unless something of it is published. */
export async function readPublicEntry(
  input: { readonly id: string; readonly asOf: Date },
  db: Db,
): Promise<PublicEntry | undefined> {
  const published = await publishedOf(input.id, db);
  const [first] = published;
  if (first === undefined) return undefined;
  const season = await readSeason(first.entry.season, db);
  if (season === undefined) return undefined;
  const board = await readRankedBoard({ season: season.season, asOf: input.asOf }, db);
  const { id, agent, agentHarness } = first.entry;
  return {
    id,
    season: season.id,
    team: first.team,
    agent,
    agentHarness,
    row: board.rows.find((row) => row.id === id) ?? null,
    finals: finalsOf(published),
  };
}

type Published = Awaited<ReturnType<typeof publishedOf>>[number];

async function publishedOf(entry: string, db: Db) {
  return db
    .select({ entry: entries, team: teams.name, run: runs, submission: submissions, grading: gradings })
    .from(gradings)
    .innerJoin(submissions, eq(submissions.id, gradings.submission))
    .innerJoin(runs, eq(runs.id, submissions.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .innerJoin(teams, eq(teams.id, entries.team))
    .where(and(eq(entries.id, entry), isNotNull(gradings.publishedAt)))
    .orderBy(asc(runs.track), asc(gradings.number))
    .limit(1_000);
}

function finalsOf(rows: readonly Published[]): PublicEntry['finals'] {
  const finals = new Map<string, PublicEntry['finals'][number]>();
  for (const { run, submission, grading } of rows) {
    const final = finals.get(submission.id) ?? {
      submission: submission.id,
      track: run.track,
      system: sha256Schema.parse(submission.system),
      runStartedAt: run.startedAt.toISOString(),
      committedAt: submission.committedAt.toISOString(),
      withdrawnAt: submission.withdrawnAt?.toISOString() ?? null,
      gradings: [],
    };
    if (grading.publishedAt === null) continue;
    final.gradings.push({
      id: grading.id,
      number: grading.number,
      cause: grading.cause,
      publishedAt: grading.publishedAt.toISOString(),
      current: submission.currentGrading === grading.id,
      result: resultSchema.parse(grading.result),
      receipt: `/api/v1/receipts/${grading.id}`,
    });
    finals.set(submission.id, final);
  }
  return [...finals.values()];
}
