import { and, asc, eq, gt } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { events } from './schema.ts';

export type EventRow = typeof events.$inferSelect;

/**
 * Adds an event that followers of a submission see. The writer holds the submission's row lock, so that numbers grow in
 * the order in which transactions commit and a follower that reads on from a number misses none.
 */
export async function writeEvent(event: Omit<EventRow, 'id'>, tx: Db): Promise<void> {
  await tx.insert(events).values(event);
}

/** Events of a submission after a number, oldest first, at most `limit`. */
export async function eventsAfter(
  input: { readonly submission: string; readonly after: number; readonly limit: number },
  db: Db,
): Promise<EventRow[]> {
  return db
    .select()
    .from(events)
    .where(and(eq(events.submission, input.submission), gt(events.id, input.after)))
    .orderBy(asc(events.id))
    .limit(input.limit);
}
