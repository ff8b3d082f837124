import { inArray, sql } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { orders, trials } from './schema.ts';

/** What the vault knows of a grading's tasks. */
export interface TaskCounts {
  readonly grading: string;
  readonly season: string;
  readonly track: string;
  readonly split: string;
  readonly trialsPerTask: number;
  /** Whether a score was reported for it. */
  readonly scored: boolean;
  /** Rewards summed per task, in the order of the split's tasks. */
  readonly counts: readonly number[];
  /** Whether each of these tasks has all its trials resolved, and none is missing between them. */
  readonly whole: boolean;
}

/** Gradings read at once: their trials are summed in the database. */
const gradingsAtOnce = 100;

/** Counts per task of gradings, by id; those that this vault never graded are not in it. */
export async function taskCountsOf(
  gradings: readonly string[],
  db: Vault,
): Promise<ReadonlyMap<string, TaskCounts>> {
  const found = new Map<string, TaskCounts>();
  for (let start = 0; start < gradings.length; start += gradingsAtOnce)
    for (const row of await readCounts(gradings.slice(start, start + gradingsAtOnce), db))
      found.set(row.grading, row);
  return found;
}

async function readCounts(gradings: readonly string[], db: Vault): Promise<TaskCounts[]> {
  const tasks = db.$with('tasks').as(
    db
      .select({
        order: trials.order,
        task: trials.task,
        reward: sql<number>`sum(${trials.reward})`.as('summed'),
        resolved:
          sql<number>`count(*) FILTER (WHERE ${trials.state} = 'resolved' AND ${trials.reward} IS NOT NULL)`.as(
            'resolved',
          ),
        trials: sql<number>`count(*)`.as('trials'),
      })
      .from(trials)
      .innerJoin(orders, sql`${orders.id} = ${trials.order}`)
      .where(inArray(orders.grading, [...gradings]))
      .groupBy(trials.order, trials.task),
  );
  const rows = await db
    .with(tasks)
    .select({
      grading: orders.grading,
      document: orders.document,
      state: orders.state,
      result: orders.result,
      trialsPerTask: orders.trialsPerTask,
      counts: sql<(number | null)[]>`json_agg(${tasks.reward} ORDER BY ${tasks.task})`,
      whole: sql<boolean>`bool_and(${tasks.resolved} = ${orders.trialsPerTask} AND ${tasks.trials} = ${orders.trialsPerTask})
        AND min(${tasks.task}) = 0 AND max(${tasks.task}) = count(*) - 1`,
    })
    .from(orders)
    .innerJoin(tasks, sql`${tasks.order} = ${orders.id}`)
    .groupBy(orders.id);
  return rows.map(({ document, state, result, counts, ...row }) => ({
    ...row,
    season: document.season,
    track: document.track,
    split: document.split,
    scored: state === 'reported' && result?.kind === 'scored',
    counts: counts.map((count) => count ?? 0),
  }));
}
