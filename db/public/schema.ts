/**
 * The gateway's database. Everything that can be counted is counted from these rows by one function each; nothing here
 * knows a hidden task. `audit`, `log_leaves`, `feed`, `ledger`,
 * `research_log` and `research_totals` only ever grow: a trigger refuses change and removal.
 */
import {
  bigint,
  bigserial,
  boolean,
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

/** A person, or the owner of this instance. */
export const accounts = pgTable('accounts', {
  id: text().primaryKey(),
  name: text().notNull(),
  maintainer: boolean().notNull().default(false),
  createdAt: instant('created_at').notNull(),
});

export const teams = pgTable('teams', {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  createdAt: instant('created_at').notNull(),
});

export const members = pgTable(
  'members',
  {
    team: text()
      .notNull()
      .references(() => teams.id),
    account: text()
      .notNull()
      .references(() => accounts.id),
    role: text({ enum: ['owner', 'member'] }).notNull(),
    since: instant('since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.team, table.account] })],
);

/** Issued tokens by jti. The token's text is never stored. */
export const tokens = pgTable('tokens', {
  jti: text().primaryKey(),
  account: text()
    .notNull()
    .references(() => accounts.id),
  team: text().references(() => teams.id),
  scopes: text().array().notNull(),
  label: text().notNull(),
  issuedAt: instant('issued_at').notNull(),
  expiresAt: instant('expires_at').notNull(),
  revokedAt: instant('revoked_at'),
});

/** Seasons this instance serves, and the digests they were started with. */
export const seasons = pgTable('seasons', {
  id: text().primaryKey(),
  /** Digest of the season's TOML file. */
  definition: text().notNull(),
  /** The parsed definition (protocol/season). */
  document: jsonb().notNull(),
  /** Bumped in the transaction of everything that the board shows. */
  boardVersion: bigint('board_version', { mode: 'number' }).notNull().default(0),
  boardChangedAt: instant('board_changed_at').notNull(),
});

export const entries = pgTable(
  'entries',
  {
    id: text().primaryKey(),
    team: text()
      .notNull()
      .references(() => teams.id),
    season: text()
      .notNull()
      .references(() => seasons.id),
    agent: text().notNull(),
    agentHarness: text('agent_harness'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [index().on(table.season)],
);

export const runs = pgTable(
  'runs',
  {
    id: text().primaryKey(),
    entry: text()
      .notNull()
      .references(() => entries.id),
    track: text().notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
    endReason: text('end_reason', { enum: ['final', 'finished'] }),
  },
  (table) => [uniqueIndex().on(table.entry, table.track)],
);

export const submissions = pgTable(
  'submissions',
  {
    id: text().primaryKey(),
    run: text()
      .notNull()
      .references(() => runs.id),
    purpose: text({ enum: ['validation', 'final'] }).notNull(),
    /** protocol/states/submission.ts */
    state: text().notNull(),
    stateAt: instant('state_at').notNull(),
    stateReason: text('state_reason'),
    system: text().notNull(),
    manifest: jsonb().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
    committedAt: instant('committed_at').notNull(),
    /** Account and token (jti) that committed it: upload rights outlive the token for the grace. */
    committedBy: text('committed_by')
      .notNull()
      .references(() => accounts.id),
    committedWith: text('committed_with').notNull(),
    uploadUntil: instant('upload_until').notNull(),
    problems: jsonb().notNull().default([]),
    withdrawnAt: instant('withdrawn_at'),
    /** The grading whose result counts; moved by reports, never guessed. */
    currentGrading: text('current_grading'),
  },
  (table) => [index().on(table.run), index().on(table.state)],
);

/** The chunks a submission is made of, in no order; a digest once per submission. */
export const submissionChunks = pgTable(
  'submission_chunks',
  {
    submission: text()
      .notNull()
      .references(() => submissions.id),
    sha256: text().notNull(),
    size: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.submission, table.sha256] }), index().on(table.sha256)],
);

/** Possession: this team has sent these bytes. Another team's chunk is never "already there". */
export const teamChunks = pgTable(
  'team_chunks',
  {
    team: text()
      .notNull()
      .references(() => teams.id),
    sha256: text().notNull(),
    size: integer().notNull(),
    arrivedAt: instant('arrived_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.team, table.sha256] }), index().on(table.sha256)],
);

/**
 * Systems whose bytes their team had deleted: nothing of them is graded again. `statement` is the signed proof, null until
 * the last byte is gone.
 */
export const deletions = pgTable('deletions', {
  submission: text()
    .primaryKey()
    .references(() => submissions.id),
  /** What of the system went, and what stayed because another submission of the team needs it. */
  chunksDeleted: integer('chunks_deleted').notNull(),
  bytesDeleted: bigint('bytes_deleted', { mode: 'number' }).notNull(),
  chunksKept: integer('chunks_kept').notNull(),
  at: instant('at').notNull(),
  statement: text(),
});

/** Quota: reserve → spend | release. One line per act, so the second time changes nothing. */
export const ledger = pgTable(
  'ledger',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    team: text()
      .notNull()
      .references(() => teams.id),
    run: text()
      .notNull()
      .references(() => runs.id),
    submission: text()
      .notNull()
      .references(() => submissions.id),
    account: text({ enum: ['finals', 'validations', 'failedTries'] }).notNull(),
    act: text({ enum: ['reserve', 'spend', 'release'] }).notNull(),
    reason: text().notNull(),
    at: instant('at').notNull(),
  },
  (table) => [
    uniqueIndex().on(table.submission, table.account, table.act),
    index().on(table.team),
    index().on(table.run),
  ],
);

export const gradings = pgTable(
  'gradings',
  {
    id: text().primaryKey(),
    submission: text()
      .notNull()
      .references(() => submissions.id),
    number: integer().notNull(),
    cause: text({ enum: ['first', 'regrade', 'reverify', 'rescore', 'retry'] }).notNull(),
    reason: text(),
    /** protocol/states/grading.ts */
    state: text().notNull(),
    order: text().notNull().unique(),
    orderDigest: text('order_digest').notNull(),
    split: text().notNull(),
    settings: text().notNull(),
    orderedAt: instant('ordered_at').notNull(),
    finishedAt: instant('finished_at'),
    /** Latest progress said by a notice: accepted or replaying, and trials for visible splits. */
    progress: jsonb(),
    reportDigest: text('report_digest').unique(),
    /** The report's JWS text. */
    report: text(),
    /** The report's result (protocol/messages/report.ts), for queries; the JWS is what counts. */
    result: jsonb(),
    /** Encrypted to the maintainers. */
    maintainersPart: text('maintainers_part'),
    publishedAt: instant('published_at'),
    /** Index of its publication leaf. */
    leaf: bigint({ mode: 'number' }),
  },
  (table) => [uniqueIndex().on(table.submission, table.number), index().on(table.state)],
);

/** What came back beside a validation report. */
export const attachments = pgTable(
  'attachments',
  {
    grading: text()
      .notNull()
      .references(() => gradings.id),
    sha256: text().notNull(),
    size: integer().notNull(),
    kind: text().notNull(),
    arrivedAt: instant('arrived_at'),
  },
  (table) => [primaryKey({ columns: [table.grading, table.sha256] })],
);

/** The one numbered sequence of messages to the grader. */
export const feed = pgTable('feed', {
  number: bigint({ mode: 'number' }).primaryKey(),
  kind: text({ enum: ['order', 'cancel', 'checkpoint'] }).notNull(),
  jws: text().notNull(),
  /** SHA-256 of the JWS text: the next message's `previous`. */
  digest: text().notNull(),
  order: text(),
  at: instant('at').notNull(),
});

/** The public log, a tree per season. */
export const logLeaves = pgTable(
  'log_leaves',
  {
    season: text()
      .notNull()
      .references(() => seasons.id),
    index: bigint({ mode: 'number' }).notNull(),
    text: text().notNull(),
    hash: text().notNull(),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.season, table.index] })],
);

export const treeHeads = pgTable(
  'tree_heads',
  {
    season: text()
      .notNull()
      .references(() => seasons.id),
    size: bigint({ mode: 'number' }).notNull(),
    root: text().notNull(),
    gateway: text().notNull(),
    /** Null until the grader has cosigned. */
    grader: text(),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.season, table.size] })],
);

/**
 * Lists of ranked rows that checkpoints asked the grader to compare, and its answers. A list that comes again is the same
 * row: its answer is the same too.
 */
export const comparisons = pgTable(
  'comparisons',
  {
    /** comparedListDigest of season, track and systems. */
    list: text().primaryKey(),
    season: text()
      .notNull()
      .references(() => seasons.id),
    /** Null, as the split, in Avg. */
    track: text(),
    split: text(),
    systems: text().array().notNull(),
    /** Sizes of the log at the first and the latest checkpoint that asked for it. */
    firstSize: bigint('first_size', { mode: 'number' }).notNull(),
    lastSize: bigint('last_size', { mode: 'number' }).notNull(),
    /** The signed answer with the log's size it names, its digest and its leaf; null until it comes. */
    logSize: bigint('log_size', { mode: 'number' }),
    comparison: text(),
    digest: text(),
    verdicts: text(),
    leaf: bigint({ mode: 'number' }),
    at: instant('at'),
  },
  (table) => [index().on(table.season, table.track, table.lastSize)],
);

/** Splits the enclave said it holds. */
export const splitsHeld = pgTable(
  'splits_held',
  {
    season: text().notNull(),
    track: text().notNull(),
    purpose: text({ enum: ['validation', 'final'] }).notNull(),
    split: text().notNull(),
    tasks: integer().notNull(),
    secrecy: text().notNull(),
    commitment: text().notNull(),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.season, table.track, table.purpose, table.split] })],
);

export const notices = pgTable('notices', {
  id: text().primaryKey(),
  kind: text().notNull(),
  digest: text().notNull(),
  at: instant('at').notNull(),
});

export const runnersSeen = pgTable('runners_seen', {
  runner: text().primaryKey(),
  capabilities: jsonb().notNull(),
  at: instant('at').notNull(),
});

/** What a team can follow: every change of a submission, numbered. */
export const events = pgTable(
  'events',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    submission: text()
      .notNull()
      .references(() => submissions.id),
    kind: text({ enum: ['state', 'progress', 'grading'] }).notNull(),
    state: text().notNull(),
    reason: text(),
    progress: jsonb(),
    at: instant('at').notNull(),
  },
  (table) => [index().on(table.submission, table.id)],
);

/** What teams log of their research: each line once per run, under its digest (protocol/researchLog). */
export const researchLog = pgTable(
  'research_log',
  {
    number: bigserial({ mode: 'number' }).primaryKey(),
    run: text()
      .notNull()
      .references(() => runs.id),
    digest: text().notNull(),
    kind: text({ enum: ['episode', 'design', 'usage'] }).notNull(),
    line: jsonb().notNull(),
    receivedAt: instant('received_at').notNull(),
  },
  (table) => [uniqueIndex().on(table.run, table.digest), index().on(table.run, table.number)],
);

/** Tokens that a run's log declared as generated, from an instant on: what the board of any date reads. */
export const researchTotals = pgTable(
  'research_totals',
  {
    number: bigserial({ mode: 'number' }).primaryKey(),
    run: text()
      .notNull()
      .references(() => runs.id),
    /** Null where a part is unknown. */
    generatedTokens: bigint('generated_tokens', { mode: 'number' }),
    at: instant('at').notNull(),
  },
  (table) => [index().on(table.run, table.number)],
);

/** Who did what, when and why. Written in the transaction of the act. */
export const audit = pgTable(
  'audit',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    at: instant('at').notNull(),
    /** Account id, 'grader', or 'gateway' for timers. */
    actor: text().notNull(),
    act: text().notNull(),
    subject: text().notNull(),
    reason: text(),
    detail: jsonb().notNull().default({}),
  },
  (table) => [index().on(table.subject)],
);

export const idempotency = pgTable(
  'idempotency',
  {
    actor: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of method, path and body. */
    request: text().notNull(),
    status: integer(),
    reply: jsonb(),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.actor, table.key] })],
);
