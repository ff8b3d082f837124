import { and, asc, eq, gt, inArray, lt, lte, or, sql } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { artifacts, orders, replays, trials } from './schema.ts';

export type TrialRow = typeof trials.$inferSelect;

/** Plans trials; a second plan of the same order changes nothing. */
export async function planTrials(
  rows: readonly Pick<TrialRow, 'id' | 'order' | 'task' | 'trial' | 'seed'>[],
  tx: Vault,
): Promise<void> {
  const rowsMax = 5_000;
  for (let start = 0; start < rows.length; start += rowsMax) {
    await tx
      .insert(trials)
      .values(rows.slice(start, start + rowsMax))
      .onConflictDoNothing({ target: [trials.order, trials.task, trials.trial] });
  }
}

/**
 * Claims up to `room` trials of an order for a replay: those that wait, and those whose lease ran out. Rows that another
 * claim holds at this moment are skipped, so no two claims get one trial.
 */
export async function claimTrials(
  input: {
    readonly order: string;
    readonly replay: string;
    readonly room: number;
    readonly attemptsMax: number;
    readonly now: Date;
    readonly until: Date;
  },
  tx: Vault,
): Promise<TrialRow[]> {
  const { order, replay, room, attemptsMax, now, until } = input;
  const free = tx
    .select({ id: trials.id })
    .from(trials)
    .where(and(eq(trials.order, order), claimable(now), lt(trials.attempt, attemptsMax)))
    .orderBy(asc(trials.task), asc(trials.trial))
    .limit(room)
    .for('update', { skipLocked: true });
  const rows = await tx
    .update(trials)
    .set({
      state: 'leased',
      replay,
      attempt: sql`${trials.attempt} + 1`,
      fencing: sql`${trials.fencing} + 1`,
      leaseUntil: until,
      agentDoneAt: null,
    })
    .where(inArray(trials.id, free))
    .returning();
  return rows.sort((a, b) => a.task - b.task || a.trial - b.trial);
}

/** How many trials of an order are open to a claim, held by a live lease, resolved, and out of attempts. */
export interface TrialCounts {
  readonly claimable: number;
  readonly held: number;
  readonly resolved: number;
  readonly total: number;
  /** Lost for good: no live lease and no attempt left. */
  readonly exhausted: number;
}

/** The counts of an order's trials at an instant. */
export async function trialCounts(
  input: { readonly order: string; readonly attemptsMax: number; readonly now: Date },
  db: Vault,
): Promise<TrialCounts> {
  const { order, attemptsMax, now } = input;
  const free = claimable(now);
  const [row] = await db
    .select({
      claimable: sql<number>`count(*) filter (where ${free} and ${trials.attempt} < ${attemptsMax})::int`,
      exhausted: sql<number>`count(*) filter (where ${free} and ${trials.attempt} >= ${attemptsMax})::int`,
      held: sql<number>`count(*) filter (where ${trials.state} = 'leased' and ${trials.leaseUntil} > ${now.toISOString()})::int`,
      resolved: sql<number>`count(*) filter (where ${trials.state} = 'resolved')::int`,
      total: sql<number>`count(*)::int`,
    })
    .from(trials)
    .where(eq(trials.order, order));
  return row ?? { claimable: 0, held: 0, resolved: 0, total: 0, exhausted: 0 };
}

/** A trial by id. */
export async function findTrial(id: string, db: Vault): Promise<TrialRow | undefined> {
  const [row] = await db.select().from(trials).where(eq(trials.id, id));
  return row;
}

/** The trial, its row locked, when this runner holds it with this fencing number by unexpired leases; else undefined. */
export async function heldTrial(
  input: { readonly id: string; readonly runner: string; readonly fencing: number; readonly now: Date },
  tx: Vault,
): Promise<TrialRow | undefined> {
  const [row] = await tx
    .select({ trial: trials })
    .from(trials)
    .innerJoin(replays, eq(replays.id, trials.replay))
    .where(
      and(
        eq(trials.id, input.id),
        eq(trials.fencing, input.fencing),
        eq(trials.state, 'leased'),
        gt(trials.leaseUntil, input.now),
        eq(replays.runner, input.runner),
        sql`${replays.endedAt} is null`,
        gt(replays.leaseUntil, input.now),
      ),
    )
    .for('update', { of: trials });
  return row?.trial;
}

/** Renews the leases of the trials a replay says it works on; returns those that are its own. */
export async function renewTrials(
  input: {
    readonly replay: string;
    readonly held: readonly { trial: string; fencing: number }[];
    readonly now: Date;
    readonly until: Date;
  },
  tx: Vault,
): Promise<ReadonlySet<string>> {
  if (input.held.length === 0) return new Set();
  const named = or(
    ...input.held.map(({ trial, fencing }) => and(eq(trials.id, trial), eq(trials.fencing, fencing))),
  );
  const rows = await tx
    .update(trials)
    .set({ leaseUntil: input.until })
    .where(
      and(
        eq(trials.replay, input.replay),
        eq(trials.state, 'leased'),
        gt(trials.leaseUntil, input.now),
        named,
      ),
    )
    .returning({ id: trials.id });
  return new Set(rows.map((row) => row.id));
}

/** What is known of a trial once it is over. */
export type Resolution = Pick<
  TrialRow,
  | 'outcome'
  | 'outcomeMark'
  | 'judged'
  | 'failedPhase'
  | 'reward'
  | 'promptTokens'
  | 'cachedTokens'
  | 'generatedTokens'
>;

/** Resolves a held trial for good. */
export async function resolveTrial(
  input: { readonly id: string; readonly now: Date; readonly resolution: Resolution },
  tx: Vault,
): Promise<void> {
  await tx
    .update(trials)
    .set({ ...input.resolution, state: 'resolved', resolvedAt: input.now, leaseUntil: null })
    .where(and(eq(trials.id, input.id), eq(trials.state, 'leased')));
}

/** Gives a held trial back after a failure of ours. The mark lets the same report of it come twice. */
export async function giveBackTrial(
  input: { readonly id: string; readonly mark: string },
  tx: Vault,
): Promise<void> {
  await tx
    .update(trials)
    .set({
      state: 'waiting',
      leaseUntil: null,
      outcomeMark: input.mark,
      oursFailures: sql`${trials.oursFailures} + 1`,
    })
    .where(and(eq(trials.id, input.id), eq(trials.state, 'leased')));
}

/** Notes that nothing submitted runs for a held trial any more. */
export async function noteAgentDone(
  input: { readonly id: string; readonly now: Date },
  tx: Vault,
): Promise<void> {
  await tx
    .update(trials)
    .set({ agentDoneAt: sql`coalesce(${trials.agentDoneAt}, ${input.now.toISOString()})` })
    .where(eq(trials.id, input.id));
}

/** Frees at once what ended replays still hold. */
export async function freeTrials(replayIds: readonly string[], tx: Vault): Promise<void> {
  if (replayIds.length === 0) return;
  await tx
    .update(trials)
    .set({ state: 'waiting', leaseUntil: null })
    .where(and(inArray(trials.replay, [...replayIds]), eq(trials.state, 'leased')));
}

/** All trials of an order by task and trial. */
export async function trialsOf(order: string, db: Vault): Promise<TrialRow[]> {
  return db.select().from(trials).where(eq(trials.order, order)).orderBy(asc(trials.task), asc(trials.trial));
}

/** Whether a trial of the order failed by our doing more often than it may be tried again. */
export async function oursFailuresMost(order: string, db: Vault): Promise<number> {
  const [row] = await db
    .select({ most: sql<number>`coalesce(max(${trials.oursFailures}), 0)::int` })
    .from(trials)
    .where(eq(trials.order, order));
  return row?.most ?? 0;
}

/** Enters an artifact; false when it was there. */
export async function addArtifact(row: typeof artifacts.$inferInsert, tx: Vault): Promise<boolean> {
  const made = await tx
    .insert(artifacts)
    .values(row)
    .onConflictDoNothing()
    .returning({ sha256: artifacts.sha256 });
  return made.length > 0;
}

/** Artifacts of a trial: how many, and their bytes. */
export async function artifactsOf(trial: string, db: Vault): Promise<{ count: number; bytes: number }> {
  const [row] = await db
    .select({
      count: sql<number>`count(*)::int`,
      bytes: sql<number>`coalesce(sum(${artifacts.size}), 0)::float8`,
    })
    .from(artifacts)
    .where(eq(artifacts.trial, trial));
  return row ?? { count: 0, bytes: 0 };
}

function claimable(now: Date) {
  return or(eq(trials.state, 'waiting'), and(eq(trials.state, 'leased'), lte(trials.leaseUntil, now)));
}

/** Orders that are open and ready, with how many of their trials a runner could claim now. */
export async function claimableByOrder(
  input: { readonly attemptsMax: number; readonly now: Date },
  db: Vault,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .select({ order: trials.order, free: sql<number>`count(*)::int` })
    .from(trials)
    .innerJoin(orders, eq(orders.id, trials.order))
    .where(
      and(
        inArray(orders.state, ['ordered', 'replaying']),
        eq(orders.ready, true),
        claimable(input.now),
        lt(trials.attempt, input.attemptsMax),
      ),
    )
    .groupBy(trials.order);
  return new Map(rows.map((row) => [row.order, row.free]));
}
