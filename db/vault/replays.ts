import type { Environment } from '@vtb/protocol/messages/report.ts';
import type { Finish } from '@vtb/protocol/wire/desk.ts';
import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { replays } from './schema.ts';

export type ReplayRow = typeof replays.$inferSelect;

/** Leases a new replay of an order. The order's row is locked by the caller, so attempts count up one by one. */
export async function addReplay(
  input: {
    readonly id: string;
    readonly order: string;
    readonly runner: string;
    readonly now: Date;
    readonly until: Date;
  },
  tx: Vault,
): Promise<ReplayRow> {
  const { id, order, runner, now, until } = input;
  const [last] = await tx
    .select({ attempt: sql<number>`coalesce(max(${replays.attempt}), 0)::int` })
    .from(replays)
    .where(eq(replays.order, order));
  const [row] = await tx
    .insert(replays)
    .values({
      id,
      order,
      runner,
      attempt: (last?.attempt ?? 0) + 1,
      leasedAt: now,
      heartbeatAt: now,
      leaseUntil: until,
    })
    .returning();
  if (row === undefined) throw new Error('an insert returns its row');
  return row;
}

/** A replay by id. */
export async function findReplay(id: string, db: Vault): Promise<ReplayRow | undefined> {
  const [row] = await db.select().from(replays).where(eq(replays.id, id));
  return row;
}

/** Whether a runner ever held a replay of an order: then what it asks about it is stale, not unknown. */
export async function everHeld(
  input: { readonly runner: string; readonly order: string },
  db: Vault,
): Promise<boolean> {
  const rows = await db
    .select({ id: replays.id })
    .from(replays)
    .where(and(eq(replays.runner, input.runner), eq(replays.order, input.order)))
    .limit(1);
  return rows.length > 0;
}

/** Renews a live lease; undefined when it is no longer one. Locks the row, so a claim and a cancel don't cross. */
export async function renewReplay(
  input: {
    readonly id: string;
    readonly runner: string;
    readonly fencing: number;
    readonly now: Date;
    readonly until: Date;
  },
  tx: Vault,
): Promise<ReplayRow | undefined> {
  const { id, runner, fencing, now, until } = input;
  const [row] = await tx
    .update(replays)
    .set({ heartbeatAt: now, leaseUntil: until })
    .where(
      and(
        eq(replays.id, id),
        eq(replays.runner, runner),
        eq(replays.fencing, fencing),
        isNull(replays.endedAt),
        gt(replays.leaseUntil, now),
      ),
    )
    .returning();
  return row;
}

/** Keeps what runs in a replay; false when something else was said before. */
export async function noteEnvironment(
  input: { readonly id: string; readonly environment: Environment },
  tx: Vault,
): Promise<boolean> {
  const [row] = await tx
    .update(replays)
    .set({ environment: sql`coalesce(${replays.environment}, ${JSON.stringify(input.environment)}::jsonb)` })
    .where(eq(replays.id, input.id))
    .returning({
      same: sql<boolean>`${replays.environment} = ${JSON.stringify(input.environment)}::jsonb`,
    });
  return row?.same === true;
}

/** Ends a live replay as its runner says; undefined when it is not live. */
export async function endReplay(
  input: {
    readonly id: string;
    readonly now: Date;
    readonly finish: Finish['result'];
    readonly engineMs: number;
  },
  tx: Vault,
): Promise<ReplayRow | undefined> {
  const { id, now, finish, engineMs } = input;
  const [row] = await tx
    .update(replays)
    .set({ endedAt: now, leaseUntil: now, finish, engineMs })
    .where(and(eq(replays.id, id), isNull(replays.endedAt), gt(replays.leaseUntil, now)))
    .returning();
  return row;
}

/** Takes every live lease of an order away, or of a runner: what they hold is stale from now on. */
export async function killReplays(
  input: { readonly order: string; readonly now: Date } | { readonly runner: string; readonly now: Date },
  tx: Vault,
): Promise<string[]> {
  const whose = 'order' in input ? eq(replays.order, input.order) : eq(replays.runner, input.runner);
  const rows = await tx
    .update(replays)
    .set({ endedAt: input.now, leaseUntil: input.now })
    .where(and(whose, isNull(replays.endedAt), gt(replays.leaseUntil, input.now)))
    .returning({ id: replays.id });
  return rows.map((row) => row.id);
}

/** Closes replays whose lease ran out: their runner is gone, and what it held is free. */
export async function closeLostReplays(now: Date, db: Vault): Promise<{ id: string; order: string }[]> {
  return db
    .update(replays)
    .set({ endedAt: sql`${replays.heartbeatAt}` })
    .where(and(isNull(replays.endedAt), lte(replays.leaseUntil, now)))
    .returning({ id: replays.id, order: replays.order });
}

/** Orders that a live lease works on. */
export async function ordersAtWork(now: Date, db: Vault): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectDistinct({ order: replays.order })
    .from(replays)
    .where(and(isNull(replays.endedAt), gt(replays.leaseUntil, now)));
  return new Set(rows.map((row) => row.order));
}

/** All replays of an order, oldest first. */
export async function replaysOf(order: string, db: Vault): Promise<ReplayRow[]> {
  return db.select().from(replays).where(eq(replays.order, order)).orderBy(asc(replays.attempt));
}

/** The newest attempt of each of these orders. */
export async function latestAttempts(
  orderIds: readonly string[],
  db: Vault,
): Promise<ReadonlyMap<string, number>> {
  if (orderIds.length === 0) return new Map();
  const rows = await db
    .select({ order: replays.order, attempt: sql<number>`max(${replays.attempt})::int` })
    .from(replays)
    .where(inArray(replays.order, [...orderIds]))
    .groupBy(replays.order);
  return new Map(rows.map((row) => [row.order, row.attempt]));
}

/** Replays of an order that ended, not by being released, without one resolved trial. */
export async function fruitlessReplays(order: string, db: Vault): Promise<ReplayRow[]> {
  return db
    .select()
    .from(replays)
    .where(
      and(
        eq(replays.order, order),
        isNotNull(replays.endedAt),
        sql`coalesce(${replays.finish} ->> 'kind', '') <> 'released'`,
        sql`not exists (select 1 from trials where trials.replay = ${replays.id} and trials.state = 'resolved')`,
      ),
    )
    .orderBy(asc(replays.attempt));
}
