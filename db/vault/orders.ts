import type { Result } from '@vtb/protocol/messages/report.ts';
import { type GradingEvent, gradingTable } from '@vtb/protocol/states/grading.ts';
import { statesBefore, transition } from '@vtb/protocol/states/transition.ts';
import { and, asc, desc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { orderChunks, orders } from './schema.ts';

export type OrderRow = typeof orders.$inferSelect;

/** Adds an order as accepted from the feed. */
export async function addOrder(row: typeof orders.$inferInsert, tx: Vault): Promise<void> {
  await tx.insert(orders).values(row);
}

/** An order by id. */
export async function findOrder(id: string, db: Vault): Promise<OrderRow | undefined> {
  const [row] = await db.select().from(orders).where(eq(orders.id, id));
  return row;
}

/** An order by id or by the grading it is about, its row locked. */
export async function lockOrder(id: string, tx: Vault): Promise<OrderRow | undefined> {
  const [row] = await tx.select().from(orders).where(eq(orders.id, id)).for('update');
  return row;
}

/** Whether an order or grading with this id was ever taken in. */
export async function orderKnown(
  input: { readonly order: string; readonly grading: string },
  tx: Vault,
): Promise<boolean> {
  const rows = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(sql`${orders.id} = ${input.order} OR ${orders.grading} = ${input.grading}`)
    .limit(1);
  return rows.length > 0;
}

/** The newest order about a submission. */
export async function latestOrderOf(submission: string, tx: Vault): Promise<OrderRow | undefined> {
  const [row] = await tx
    .select()
    .from(orders)
    .where(eq(orders.submission, submission))
    .orderBy(desc(orders.gradingNumber))
    .limit(1);
  return row;
}

/** Orders that wait for their chunks and plan, lowest number first. */
export async function unreadyOrders(db: Vault): Promise<OrderRow[]> {
  return db
    .select()
    .from(orders)
    .where(and(eq(orders.state, 'ordered'), eq(orders.ready, false)))
    .orderBy(asc(orders.number));
}

/** Orders that runners may work on, or work on, lowest number first. */
export async function openOrders(db: Vault): Promise<OrderRow[]> {
  return db
    .select()
    .from(orders)
    .where(and(inArray(orders.state, ['ordered', 'replaying']), eq(orders.ready, true)))
    .orderBy(asc(orders.number));
}

/** Orders in a state, lowest number first. */
export async function ordersIn(state: OrderRow['state'], db: Vault): Promise<OrderRow[]> {
  return db.select().from(orders).where(eq(orders.state, state)).orderBy(asc(orders.number));
}

/** Open orders whose deadline has passed. */
export async function overdueOrders(now: Date, db: Vault): Promise<OrderRow[]> {
  return db
    .select()
    .from(orders)
    .where(and(inArray(orders.state, ['ordered', 'replaying']), lte(orders.deadline, now)));
}

/**
 * The only way an order's state changes.
 *
 * returns  the row after the step; undefined when the event is not possible in the state it has now.
 */
export async function moveOrder(
  move: {
    readonly order: string;
    readonly event: GradingEvent;
    readonly now: Date;
    readonly result?: Result;
  },
  tx: Vault,
): Promise<OrderRow | undefined> {
  for (const from of statesBefore(gradingTable, move.event)) {
    const to = transition(gradingTable, from, move.event);
    if (to === undefined) continue;
    const ended = to === 'reported' || to === 'failed' || to === 'cancelled';
    const [row] = await tx
      .update(orders)
      .set({
        state: to,
        ...(ended ? { endedAt: move.now } : {}),
        ...(move.result === undefined ? {} : { result: move.result }),
      })
      .where(and(eq(orders.id, move.order), eq(orders.state, from)))
      .returning();
    if (row !== undefined) return row;
  }
  return undefined;
}

/** Lets runners take an order, when it still waits. */
export async function markReady(order: string, tx: Vault): Promise<boolean> {
  const rows = await tx
    .update(orders)
    .set({ ready: true })
    .where(and(eq(orders.id, order), eq(orders.state, 'ordered'), eq(orders.ready, false)))
    .returning({ id: orders.id });
  return rows.length > 0;
}

/** Keeps what the last progress notice said. */
export async function noteProgress(
  input: { readonly order: string; readonly said: string; readonly now: Date },
  tx: Vault,
): Promise<void> {
  await tx
    .update(orders)
    .set({ progressSaid: input.said, progressAt: input.now })
    .where(eq(orders.id, input.order));
}

/** Lists the chunks that runners of an order may read. */
export async function addOrderChunks(
  input: { readonly order: string; readonly chunks: readonly { sha256: string; size: number }[] },
  tx: Vault,
): Promise<void> {
  const rowsMax = 5_000;
  for (let start = 0; start < input.chunks.length; start += rowsMax) {
    const rows = input.chunks
      .slice(start, start + rowsMax)
      .map((chunk) => ({ order: input.order, ...chunk }));
    await tx.insert(orderChunks).values(rows).onConflictDoNothing();
  }
}

/** Whether a chunk belongs to an order. */
export async function hasChunk(
  input: { readonly order: string; readonly sha256: string },
  db: Vault,
): Promise<boolean> {
  const rows = await db
    .select({ size: orderChunks.size })
    .from(orderChunks)
    .where(and(eq(orderChunks.order, input.order), eq(orderChunks.sha256, input.sha256)));
  return rows.length > 0;
}

/** Forgets the chunks of orders that have ended; says which chunks open orders still need. */
export async function neededChunks(db: Vault): Promise<ReadonlySet<string>> {
  await db
    .delete(orderChunks)
    .where(
      sql`${orderChunks.order} IN (SELECT id FROM orders WHERE state IN ('reported', 'failed', 'cancelled'))`,
    );
  const rows = await db.selectDistinct({ sha256: orderChunks.sha256 }).from(orderChunks);
  return new Set(rows.map((row) => row.sha256));
}
