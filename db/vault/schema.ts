/**
 * The grader's database, inside the enclave. It knows tasks by their place in a sealed split and texts only sealed
 * (bytea that the vault's key opens); team names never, only pseudonyms. Leases are rows: who holds a trial is
 * whoever's fencing number is in it and whose lease has not ended.
 */

import type { Capabilities } from '@vtb/protocol/messages/notice.ts';
import type { Order } from '@vtb/protocol/messages/order.ts';
import type { Environment, Result } from '@vtb/protocol/messages/report.ts';
import type { Finish } from '@vtb/protocol/wire/desk.ts';
import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
const count = (name: string) => bigint(name, { mode: 'number' });
const sealed = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Splits the vault holds. Whether one is hidden stands here and nowhere else. */
export const splits = pgTable(
  'splits',
  {
    digest: text().notNull(),
    season: text().notNull(),
    track: text().notNull(),
    purpose: text({ enum: ['validation', 'final'] }).notNull(),
    hidden: boolean().notNull(),
    secrecy: text({ enum: ['secret', 'held-back', 'public', 'visible'] }).notNull(),
    tasks: integer().notNull(),
    /** Name of its sealed file in the vault's folder. */
    file: text().notNull(),
    /** 32 random bytes, hex: kept back, so that the commitment can't be tried out. */
    salt: text().notNull(),
    commitment: text().notNull(),
    /** The season's name of it: a digest or `generated:<name>`. */
    source: text().notNull(),
    active: boolean().notNull(),
    heldAt: instant('held_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.season, table.track, table.purpose, table.digest] }),
    uniqueIndex('splits_active').on(table.season, table.track, table.purpose).where(sql`active`),
  ],
);

/** Every message of the gateway's feed that was taken in, so that numbers and digests chain. */
export const feedMessages = pgTable('feed_messages', {
  number: count('number').primaryKey(),
  digest: text().notNull(),
  kind: text({ enum: ['order', 'cancel', 'checkpoint'] }).notNull(),
  at: instant('at').notNull(),
});

/** Orders, one grading each. */
export const orders = pgTable(
  'orders',
  {
    id: text().primaryKey(),
    number: count('number').notNull().unique(),
    /** SHA-256 of the order's JWS text: what its report answers. */
    digest: text().notNull(),
    grading: text().notNull().unique(),
    submission: text().notNull(),
    gradingNumber: integer('grading_number').notNull(),
    document: jsonb().$type<Order>().notNull(),
    /** protocol/states/grading.ts */
    state: text({ enum: ['ordered', 'replaying', 'scored', 'reported', 'failed', 'cancelled'] }).notNull(),
    /** Chunks copied and trials planned: runners may take it. */
    ready: boolean().notNull().default(false),
    /** By the vault's record of the split. */
    hidden: boolean().notNull(),
    /** Trials per task. */
    trialsPerTask: integer('trials_per_task').notNull(),
    nominalMinutes: doublePrecision('nominal_minutes').notNull(),
    acceptedAt: instant('accepted_at').notNull(),
    deadline: instant('deadline').notNull(),
    endedAt: instant('ended_at'),
    result: jsonb().$type<Result>(),
    /** What the last progress notice said, as canonical JSON. */
    progressSaid: text('progress_said'),
    progressAt: instant('progress_at'),
  },
  (table) => [index().on(table.state), index().on(table.submission)],
);

/** The chunks of an order's system that a runner may read, and nothing else. */
export const orderChunks = pgTable(
  'order_chunks',
  {
    order: text()
      .notNull()
      .references(() => orders.id),
    sha256: text().notNull(),
    size: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.order, table.sha256] }), index().on(table.sha256)],
);

/** Runners that came to the desk; an id belongs to the first key that used it. */
export const runners = pgTable('runners', {
  id: text().primaryKey(),
  kid: text().notNull().unique(),
  capabilities: jsonb().$type<Capabilities>(),
  seenAt: instant('seen_at').notNull(),
  /** Capabilities not yet told to the gateway. */
  changed: boolean().notNull().default(false),
});

/** One runner's work on one order. A row is leased once; a lost lease makes a new row. */
export const replays = pgTable(
  'replays',
  {
    id: text().primaryKey(),
    order: text()
      .notNull()
      .references(() => orders.id),
    runner: text()
      .notNull()
      .references(() => runners.id),
    attempt: integer().notNull(),
    fencing: bigserial({ mode: 'number' }).notNull(),
    leasedAt: instant('leased_at').notNull(),
    heartbeatAt: instant('heartbeat_at').notNull(),
    leaseUntil: instant('lease_until').notNull(),
    endedAt: instant('ended_at'),
    finish: jsonb().$type<Finish['result']>(),
    engineMs: count('engine_ms'),
    environment: jsonb().$type<Environment>(),
  },
  (table) => [
    index().on(table.order),
    index().on(table.runner),
    uniqueIndex().on(table.order, table.attempt),
  ],
);

/** Trials of an order: task by its place in the sealed split, trial from 0. */
export const trials = pgTable(
  'trials',
  {
    id: text().primaryKey(),
    order: text()
      .notNull()
      .references(() => orders.id),
    task: integer().notNull(),
    trial: integer().notNull(),
    seed: count('seed').notNull(),
    state: text({ enum: ['waiting', 'leased', 'resolved'] })
      .notNull()
      .default('waiting'),
    /** Times it was claimed. */
    attempt: integer().notNull().default(0),
    /** Times a runner said that it failed by our doing. */
    oursFailures: integer('ours_failures').notNull().default(0),
    fencing: integer().notNull().default(0),
    leaseUntil: instant('lease_until'),
    replay: text().references(() => replays.id),
    agentDoneAt: instant('agent_done_at'),
    resolvedAt: instant('resolved_at'),
    /** The outcome as it came, sealed. */
    outcome: sealed('outcome'),
    /** Keyed digest of the outcome, to know it when it comes again. */
    outcomeMark: text('outcome_mark'),
    judged: text({ enum: ['done', 'timeout', 'turnLimit', 'truncated', 'unparsable', 'empty', 'failed'] }),
    failedPhase: text('failed_phase'),
    reward: doublePrecision(),
    promptTokens: count('prompt_tokens'),
    cachedTokens: count('cached_tokens'),
    generatedTokens: count('generated_tokens'),
  },
  (table) => [
    uniqueIndex('trials_once').on(table.order, table.task, table.trial),
    index('trials_open').on(table.order, table.state),
  ],
);

/** Files a runner sent for a trial; sealed in the vault's folder. */
export const artifacts = pgTable(
  'artifacts',
  {
    trial: text()
      .notNull()
      .references(() => trials.id),
    sha256: text().notNull(),
    size: integer().notNull(),
    file: text().notNull(),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.trial, table.sha256] })],
);

/** Finals by team pseudonym, counted here whatever the gateway says. */
export const finals = pgTable(
  'finals',
  {
    submission: text().primaryKey(),
    season: text().notNull(),
    track: text().notNull(),
    team: text().notNull(),
    system: text().notNull(),
    at: instant('at').notNull(),
  },
  (table) => [index().on(table.season, table.track, table.team)],
);

/** Each season's public log as far as it was cosigned. */
export const logs = pgTable('logs', {
  season: text().primaryKey(),
  /** SHA-256 of leaf 0. */
  log: text().notNull(),
  size: count('size').notNull(),
  root: text().notNull(),
  peaks: jsonb().$type<string[]>().notNull(),
  at: instant('at').notNull(),
});

/** What a season's newest checkpoint ranks, to be compared: a track's gradings, or (track '') the rows of Avg. */
export const rankedLists = pgTable(
  'ranked_lists',
  {
    season: text().notNull(),
    track: text().notNull(),
    split: text().notNull(),
    /** Size of the log at that checkpoint. */
    size: count('size').notNull(),
    /** Best first; a row is one grading, or in Avg. one for each of `tracks`. */
    rows: jsonb().$type<string[][]>().notNull(),
    tracks: jsonb().$type<{ track: string; split: string }[]>().notNull(),
    /** Until it is answered or refused. */
    open: boolean().notNull(),
  },
  (table) => [primaryKey({ columns: [table.season, table.track, table.split] })],
);

/** Messages that leave: fixed in the transaction of what they tell, written into the outbox afterwards. */
export const outgoing = pgTable(
  'outgoing',
  {
    id: text().primaryKey(),
    kind: text({ enum: ['report', 'notice', 'comparison'] }).notNull(),
    /** An order has one report. */
    reportOf: text('report_of')
      .unique()
      .references(() => orders.id),
    message: text().notNull(),
    /** SHA-256 of the message. */
    digest: text().notNull(),
    maintainers: text(),
    attachments: text().array().notNull().default([]),
    madeAt: instant('made_at').notNull(),
    /** Null until it lies in the outbox. */
    writtenAt: instant('written_at'),
  },
  (table) => [
    index('outgoing_unwritten').on(table.madeAt).where(sql`written_at is null`),
    index().on(table.digest),
  ],
);

/** What a person has to look at. */
export const alarms = pgTable('alarms', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  at: instant('at').notNull(),
  code: text().notNull(),
  subject: text().notNull(),
  detail: text().notNull(),
});
