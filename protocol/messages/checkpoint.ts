import { z } from 'zod';
import { audiences, idSchema, instantSchema, sha256Schema, slugSchema } from './common.ts';
import { averagedTracksMax, comparedMax } from './comparison.ts';
import { feedPlace } from './order.ts';

/** A tree head: what both sides sign. Signed as its own JWS so that a receipt can carry just this. */
export const treeHeadSchema = z.strictObject({
  v: z.literal(1),
  aud: z.literal(audiences.public),
  /** Names the log: digest of leaf 0, the season record. */
  log: sha256Schema,
  size: z.int().min(1),
  root: sha256Schema,
});
export type TreeHead = z.infer<typeof treeHeadSchema>;

/** The ranked gradings of one track on one split. */
export const rankedSchema = z.strictObject({
  track: slugSchema,
  split: sha256Schema,
  gradings: z.array(idSchema('grading')).max(comparedMax),
});

/** Rows that are complete over all tracks, as Avg. ranks them: each is its gradings in the order of `tracks`. No names. */
export const averagedSchema = z.strictObject({
  tracks: z
    .array(rankedSchema.pick({ track: true, split: true }))
    .min(1)
    .max(averagedTracksMax),
  rows: z.array(z.array(idSchema('grading')).min(1).max(averagedTracksMax)).max(comparedMax),
});

/** Gateway → grader: the log has grown; these leaves are new; these gradings are ranked now. */
export const checkpointSchema = z.strictObject({
  v: z.literal(1),
  aud: z.literal(audiences.grader),
  ...feedPlace,
  season: slugSchema,
  /** The size of the tree before `leaves`; the grader refuses unless it equals what it signed last. */
  oldSize: z.int().min(0),
  leaves: z.array(z.string().max(65_536)).min(1).max(1000),
  /** The gateway's signed tree head after `leaves` (typ vtb-tree-head+jws). */
  head: z.string().max(4096),
  ranked: z.array(rankedSchema).max(50),
  /** Absent where Avg. has fewer than two rows, or rows whose tracks are graded on different splits. */
  averaged: averagedSchema.optional(),
  at: instantSchema,
});
export type Checkpoint = z.infer<typeof checkpointSchema>;
