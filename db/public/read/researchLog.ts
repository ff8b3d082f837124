import { type ActivityTime, activityTime } from '@vtb/protocol/researchLog/activityTime.ts';
import { type Design, designs } from '@vtb/protocol/researchLog/designs.ts';
import { researchLogLimits } from '@vtb/protocol/researchLog/limits.ts';
import { researchLineSchema } from '@vtb/protocol/researchLog/line.ts';
import { type ResearchTokens, researchTokens } from '@vtb/protocol/researchLog/researchTokens.ts';
import { and, asc, eq, exists, isNotNull, lte, sql } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { gradings, researchLog, runs, submissions } from '../schema.ts';

/** What a run's research log tells, summed for pages; all of it declared by its team. */
export interface ResearchStory {
  readonly run: string;
  readonly track: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly tokens: ResearchTokens;
  readonly time: ActivityTime;
  readonly designs: readonly Design[];
}

/**
 * The research of an entry's runs, for everybody: of a run whose final is published, what was logged up to an instant.
 * Runs without a log are left out. It reads up to `runLinesMax` lines a run, so keep what it returns.
 */
export async function readResearchStories(
  input: { readonly entry: string; readonly asOf: Date },
  db: Db,
): Promise<ResearchStory[]> {
  const { entry, asOf } = input;
  const published = db
    .select({ one: sql`1` })
    .from(gradings)
    .innerJoin(submissions, eq(submissions.id, gradings.submission))
    .where(
      and(
        eq(submissions.run, runs.id),
        isNotNull(gradings.publishedAt),
        lte(gradings.publishedAt, asOf),
        sql`${submissions.state} NOT IN ('held', 'disqualified')`,
      ),
    );
  const shown = await db
    .select()
    .from(runs)
    .where(and(eq(runs.entry, entry), exists(published)))
    .orderBy(asc(runs.startedAt));
  const stories: ResearchStory[] = [];
  for (const { id: run, track, startedAt, endedAt } of shown) {
    const rows = await db
      .select({ line: researchLog.line })
      .from(researchLog)
      .where(and(eq(researchLog.run, run), lte(researchLog.receivedAt, asOf)))
      .orderBy(asc(researchLog.number))
      .limit(researchLogLimits.runLinesMax);
    if (rows.length === 0) continue;
    const lines = rows.map(({ line }) => researchLineSchema.parse(line));
    const window = { startedAt, endedAt: endedAt ?? asOf };
    stories.push({
      run,
      track,
      ...window,
      tokens: researchTokens(lines),
      time: activityTime(lines, window),
      designs: designs(lines),
    });
  }
  return stories;
}
