import { and, asc, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import type { OrderRow } from './orders.ts';
import { orders, outgoing } from './schema.ts';

export type OutgoingRow = typeof outgoing.$inferSelect;

/** Fixes a message in the transaction of what it tells. False when its order has a report already. */
export async function addOutgoing(row: Omit<OutgoingRow, 'writtenAt'>, tx: Vault): Promise<boolean> {
  const made = await tx
    .insert(outgoing)
    .values(row)
    .onConflictDoNothing({ target: outgoing.reportOf })
    .returning({ id: outgoing.id });
  return made.length > 0;
}

/** Messages that don't lie in the outbox yet, oldest first. */
export async function unwritten(max: number, db: Vault): Promise<OutgoingRow[]> {
  return db
    .select()
    .from(outgoing)
    .where(isNull(outgoing.writtenAt))
    .orderBy(asc(outgoing.madeAt), asc(outgoing.id))
    .limit(max);
}

/** Marks a message as lying in the outbox. */
export async function markWritten(
  input: { readonly id: string; readonly now: Date },
  db: Vault,
): Promise<void> {
  await db
    .update(outgoing)
    .set({ writtenAt: input.now })
    .where(and(eq(outgoing.id, input.id), isNull(outgoing.writtenAt)));
}

/** Which of these digests are messages of a kind that this grader made. */
export async function issuedHere(
  kind: OutgoingRow['kind'],
  digests: readonly string[],
  db: Vault,
): Promise<ReadonlySet<string>> {
  if (digests.length === 0) return new Set();
  const rows = await db
    .select({ digest: outgoing.digest })
    .from(outgoing)
    .where(and(eq(outgoing.kind, kind), inArray(outgoing.digest, [...digests])));
  return new Set(rows.map((row) => row.digest));
}

/** Reports that this grader made, by digest: the orders they answer. Digests of others are left out. */
export async function ordersReported(
  digests: readonly string[],
  db: Vault,
): Promise<ReadonlyMap<string, OrderRow>> {
  if (digests.length === 0) return new Map();
  const rows = await db
    .select({ digest: outgoing.digest, order: orders })
    .from(outgoing)
    .innerJoin(orders, eq(orders.id, outgoing.reportOf))
    .where(and(eq(outgoing.kind, 'report'), inArray(outgoing.digest, [...digests])));
  return new Map(rows.map((row) => [row.digest, row.order]));
}

/** Whether a message with this id was ever made. */
export async function isOutgoing(id: string, db: Vault): Promise<boolean> {
  const rows = await db.select({ id: outgoing.id }).from(outgoing).where(eq(outgoing.id, id));
  return rows.length > 0;
}

/** The report of an order. */
export async function reportOf(order: string, db: Vault): Promise<OutgoingRow | undefined> {
  const [row] = await db.select().from(outgoing).where(eq(outgoing.reportOf, order));
  return row;
}

/** Messages with attachments, newest first: a bounded look back at what may not have left the outbox yet. */
export async function attachmentsInFlight(
  db: Vault,
): Promise<Pick<OutgoingRow, 'id' | 'attachments' | 'writtenAt'>[]> {
  return db
    .select({ id: outgoing.id, attachments: outgoing.attachments, writtenAt: outgoing.writtenAt })
    .from(outgoing)
    .where(sql`cardinality(${outgoing.attachments}) > 0`)
    .orderBy(desc(outgoing.madeAt))
    .limit(10_000);
}
