import type { Purpose } from '@vtb/protocol/messages/common.ts';
import { and, asc, eq, gt, inArray, or } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { openGradingStates } from './gradings.ts';
import { entries, feed, gradings, runs, splitsHeld, submissions } from './schema.ts';

/** An order that is not known to be answered, with what scheduling it needs. */
export interface OpenOrderRow {
  readonly grading: string;
  readonly number: number;
  readonly order: string;
  readonly submission: string;
  readonly state: string;
  readonly orderedAt: Date;
  readonly season: string;
  readonly track: string;
  readonly purpose: Purpose;
  readonly team: string;
  readonly tasks: number;
}

/** Of more open orders than this, positions past it are not computed. */
export const openOrdersMax = 1_000;

/**
 * Orders that wait or run, by number. A final whose report has arrived still counts until its release: an order that
 * vanished at once would tell how long the grading took.
 */
export async function openOrders(now: Date, db: Db): Promise<OpenOrderRow[]> {
  return db
    .select({
      grading: gradings.id,
      number: feed.number,
      order: gradings.order,
      submission: gradings.submission,
      state: gradings.state,
      orderedAt: gradings.orderedAt,
      season: entries.season,
      track: runs.track,
      purpose: submissions.purpose,
      team: entries.team,
      tasks: splitsHeld.tasks,
    })
    .from(gradings)
    .innerJoin(submissions, eq(submissions.id, gradings.submission))
    .innerJoin(runs, eq(runs.id, submissions.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .innerJoin(feed, and(eq(feed.order, gradings.order), eq(feed.kind, 'order')))
    .innerJoin(
      splitsHeld,
      and(
        eq(splitsHeld.season, entries.season),
        eq(splitsHeld.track, runs.track),
        eq(splitsHeld.purpose, submissions.purpose),
        eq(splitsHeld.split, gradings.split),
      ),
    )
    .where(
      or(
        inArray(gradings.state, [...openGradingStates]),
        and(eq(gradings.state, 'reported'), eq(submissions.purpose, 'final'), gt(gradings.finishedAt, now)),
      ),
    )
    .orderBy(asc(feed.number))
    .limit(openOrdersMax);
}
