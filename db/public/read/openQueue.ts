import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { entries, runs, submissions, teams } from '../schema.ts';

/** A final on its way, as everybody may see it where the season's queue is open. */
export interface WaitingFinal {
  readonly submission: string;
  readonly season: string;
  readonly entry: string;
  readonly agent: string;
  readonly agentHarness: string | null;
  readonly team: string;
  readonly track: string;
  readonly state: string;
  readonly stateAt: Date;
  readonly committedAt: Date;
}

/** States between commit and publication. What was refused or lapsed is the team's own business. */
export const onTheirWay = ['committed', 'uploading', 'checking', 'queued', 'grading', 'graded'] as const;

/** More than a page shows; the rest follow as these are published. */
const listedMax = 200;

/** Finals of a season that are on their way, oldest first. The caller knows that the season's queue is open. */
export async function readOpenQueue(season: string, db: Db): Promise<WaitingFinal[]> {
  return finals(db)
    .where(
      and(
        eq(entries.season, season),
        eq(submissions.purpose, 'final'),
        inArray(submissions.state, [...onTheirWay]),
      ),
    )
    .orderBy(asc(submissions.committedAt), asc(submissions.id))
    .limit(listedMax);
}

/** One final with its season, whatever its state; undefined when there is no such final. */
export async function readFinal(id: string, db: Db): Promise<WaitingFinal | undefined> {
  const [row] = await finals(db).where(and(eq(submissions.id, id), eq(submissions.purpose, 'final')));
  return row;
}

function finals(db: Db) {
  return db
    .select({
      submission: submissions.id,
      season: entries.season,
      entry: entries.id,
      agent: entries.agent,
      agentHarness: entries.agentHarness,
      team: teams.name,
      track: runs.track,
      state: submissions.state,
      stateAt: submissions.stateAt,
      committedAt: submissions.committedAt,
    })
    .from(submissions)
    .innerJoin(runs, eq(runs.id, submissions.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .innerJoin(teams, eq(teams.id, entries.team))
    .$dynamic();
}
