import type { BoardFacts } from '@vtb/protocol/board/facts.ts';
import { resultSchema } from '@vtb/protocol/messages/report.ts';
import { type Season, seasonSchema } from '@vtb/protocol/season/definition.ts';
import { and, asc, desc, eq, lte, sql } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { entries, gradings, ledger, researchTotals, runs, seasons, submissions, teams } from '../schema.ts';

/** A season as this instance serves it, with what its board's ETag is made of. */
export interface SeasonRow {
  readonly id: string;
  /** SHA-256 of the season's TOML. */
  readonly definition: string;
  readonly season: Season;
  readonly boardVersion: number;
  readonly boardChangedAt: Date;
}

/** Published rows of one board are read up to here; a season with more finals than this needs another design. */
const publishedMax = 20_000;

/** A season by id. */
export async function readSeason(id: string, db: Db): Promise<SeasonRow | undefined> {
  const [row] = await db.select().from(seasons).where(eq(seasons.id, id));
  return row && seasonRow(row);
}

/** Every season of this instance, by id. */
export async function readSeasons(db: Db): Promise<SeasonRow[]> {
  const rows = await db.select().from(seasons).orderBy(asc(seasons.id)).limit(1_000);
  return rows.map(seasonRow);
}

/**
 * The facts of a season's board as they were published up to an instant: for each submission its newest publication, with
 * withdrawals and used finals up to then. Held and disqualified submissions are out of it.
 */
export async function readBoardFacts(
  input: { readonly season: Season; readonly asOf: Date },
  db: Db,
): Promise<BoardFacts> {
  const { season, asOf } = input;
  const rows = await db
    .selectDistinctOn([gradings.submission], {
      entry: { id: entries.id, team: teams.name, agent: entries.agent, agentHarness: entries.agentHarness },
      teamId: teams.id,
      run: runs.id,
      track: runs.track,
      runStartedAt: runs.startedAt,
      submission: submissions.id,
      committedAt: submissions.committedAt,
      withdrawnAt: submissions.withdrawnAt,
      system: submissions.system,
      grading: gradings.id,
      gradingNumber: gradings.number,
      result: gradings.result,
      publishedAt: gradings.publishedAt,
    })
    .from(gradings)
    .innerJoin(submissions, eq(submissions.id, gradings.submission))
    .innerJoin(runs, eq(runs.id, submissions.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .innerJoin(teams, eq(teams.id, entries.team))
    .where(
      and(
        eq(entries.season, season.id),
        lte(gradings.publishedAt, asOf),
        sql`${submissions.state} NOT IN ('held', 'disqualified')`,
      ),
    )
    .orderBy(asc(gradings.submission), sql`${gradings.publishedAt} DESC`, sql`${gradings.number} DESC`)
    .limit(publishedMax);
  const finals = await finalsUsed(season.id, asOf, db);
  const declared = await declaredTokens(season.id, asOf, db);
  const owners = new Map(rows.map(({ entry }) => [entry.id, entry]));
  return {
    season,
    asOf,
    entries: [...owners.values()],
    published: rows.flatMap((row) => {
      if (row.publishedAt === null) return [];
      const { entry, teamId, run, result, publishedAt, withdrawnAt, ...rest } = row;
      return [
        {
          ...rest,
          entry: entry.id,
          publishedAt,
          result: resultSchema.parse(result),
          withdrawnAt: withdrawnAt !== null && withdrawnAt <= asOf ? withdrawnAt : null,
          researchTokens: declared.get(run) ?? null,
          finalsUsed: finals.get(`${teamId} ${row.track}`) ?? 0,
        },
      ];
    }),
  };
}

/** Finals spent per team and track: counted from the ledger, which the quota itself is. */
async function finalsUsed(season: string, asOf: Date, db: Db): Promise<Map<string, number>> {
  const rows = await db
    .select({ team: ledger.team, track: runs.track, spent: sql<number>`count(*)::int` })
    .from(ledger)
    .innerJoin(runs, eq(runs.id, ledger.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .where(
      and(
        eq(entries.season, season),
        eq(ledger.account, 'finals'),
        eq(ledger.act, 'spend'),
        lte(ledger.at, asOf),
      ),
    )
    .groupBy(ledger.team, runs.track);
  return new Map(rows.map(({ team, track, spent }) => [`${team} ${track}`, spent]));
}

/** Tokens that the research agent generated, by run, as the logs declared them up to then. */
async function declaredTokens(season: string, asOf: Date, db: Db): Promise<Map<string, number | null>> {
  const rows = await db
    .selectDistinctOn([researchTotals.run], {
      run: researchTotals.run,
      generatedTokens: researchTotals.generatedTokens,
    })
    .from(researchTotals)
    .innerJoin(runs, eq(runs.id, researchTotals.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .where(and(eq(entries.season, season), lte(researchTotals.at, asOf)))
    .orderBy(asc(researchTotals.run), desc(researchTotals.number));
  return new Map(rows.map(({ run, generatedTokens }) => [run, generatedTokens]));
}

function seasonRow(row: typeof seasons.$inferSelect): SeasonRow {
  return {
    id: row.id,
    definition: row.definition,
    season: seasonSchema.parse(row.document),
    boardVersion: row.boardVersion,
    boardChangedAt: row.boardChangedAt,
  };
}
