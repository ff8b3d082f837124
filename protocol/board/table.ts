import { z } from 'zod';
import { idSchema, instantSchema, slugSchema } from '../ids.ts';
import { builtInColumns } from '../season/definition.ts';

/** The rule by which facts become a table. A change that moves any number or rank gives it a new name. */
export const boardRule = 'vtb-board/1';

const intervalSchema = z.object({ low: z.number(), high: z.number() });

/**
 * A score three ways: `exact` is the fraction that ranks compare ("377/800"), `share` its nearest double in [0, 1],
 * `shown` its percent to one decimal. `interval` is null where there are too few tasks to claim one.
 */
export const scoreSchema = z.object({
  exact: z.string(),
  share: z.number(),
  shown: z.string(),
  interval: intervalSchema.nullable(),
});
export type Score = z.infer<typeof scoreSchema>;

const graded = {
  submission: idSchema('submission'),
  grading: idSchema('grading'),
  gradingNumber: z.int(),
  system: z.string(),
  publishedAt: instantSchema,
  committedAt: instantSchema,
  withdrawnAt: instantSchema.nullable(),
  /** Finals that the row's team has spent on this track. */
  finalsUsed: z.int(),
};

/**
 * The ranks a row could have, jointly 95 % sure over its column, by the grader's signed comparison of exactly the ranked
 * rows; `withFirst` when the first row doesn't beat it (which isn't transitive).
 */
export const rankRangeSchema = z.object({ low: z.int(), high: z.int(), withFirst: z.boolean() });
export type RankRange = z.infer<typeof rankRangeSchema>;

/** One entry on one track. A dash (`none`) and an unscored result are neither 0 nor ranked. */
export const cellSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('replayed'),
    ...graded,
    score: scoreSchema,
    metric: z.string(),
    /** Tasks. */
    n: z.int(),
    /** Trials a task; pass@k counts a task once all the same (scoreOfResult). */
    k: z.int(),
    /** Competition rank among replayed cells of the track; equal exact scores share it. */
    rank: z.int(),
    tied: z.boolean(),
    /** Null until the grader has compared exactly the rows that are ranked now. */
    rankRange: rankRangeSchema.nullable(),
    isolation: z.string(),
    flags: z.array(z.string()),
  }),
  z.object({ kind: z.literal('unscored'), ...graded, reason: z.string() }),
  z.object({ kind: z.literal('reported'), shown: z.string() }),
  z.object({ kind: z.literal('none') }),
]);
export type Cell = z.infer<typeof cellSchema>;

export const rowKinds = ['entry', 'baseline', 'reported'] as const;

export const boardRowSchema = z.object({
  kind: z.enum(rowKinds),
  /** The entry's id; for rows that others measured, their place in the season's file. */
  id: z.string(),
  name: z.string(),
  harness: z.string().nullable(),
  model: z.string().nullable(),
  team: z.string().nullable(),
  source: z.string().nullable(),
  /** Whether every track has a score: only then is there an average. */
  complete: z.boolean(),
  avg: z
    .object({
      shown: z.string(),
      score: scoreSchema.nullable(),
      rank: z.int().nullable(),
      tied: z.boolean(),
      rankRange: rankRangeSchema.nullable(),
    })
    .nullable(),
  /** By track id; every track of the season is there. */
  cells: z.record(slugSchema, cellSchema),
  /** Elapsed research time in hours, summed over runs with a published final; `shown` to one decimal. */
  hours: z.object({ value: z.number(), shown: z.string() }).nullable(),
  /** Declared by the team; null is unknown. */
  researchTokens: z.int().nullable(),
  /** Metered here, over all trials of the shown finals; null when any part is unknown. */
  replayTokens: z.object({ prompt: z.int(), generated: z.int(), total: z.int() }).nullable(),
  finalsUsed: z.int().nullable(),
});
export type BoardRow = z.infer<typeof boardRowSchema>;

const columnSchema = z.object({
  key: z.string(),
  kind: z.enum(['track', ...builtInColumns]),
  title: z.string(),
});

/** The table that site, API and exports show: entries by rank, then incomplete ones, then what others measured. */
export const boardTableSchema = z.object({
  rule: z.literal(boardRule),
  season: slugSchema,
  title: z.string(),
  asOf: instantSchema,
  columns: z.array(columnSchema),
  rows: z.array(boardRowSchema),
});
export type BoardTable = z.infer<typeof boardTableSchema>;
