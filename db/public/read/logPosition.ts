import { and, eq, lte, sql } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { logLeaves } from '../schema.ts';

/** Leaves that a season's public log had at an instant: with it a reader finds the very tree that a board was cited from. */
export async function readLogPosition(
  input: { readonly season: string; readonly asOf: Date },
  db: Db,
): Promise<number> {
  const [row] = await db
    .select({ leaves: sql<number>`count(*)::int` })
    .from(logLeaves)
    .where(and(eq(logLeaves.season, input.season), lte(logLeaves.at, input.asOf)));
  return row?.leaves ?? 0;
}
