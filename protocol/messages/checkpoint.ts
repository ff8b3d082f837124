import { z } from 'zod';
import { audiences, idSchema, instantSchema, sha256Schema, slugSchema } from './common.ts';
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
  gradings: z.array(idSchema('grading')).max(1000),
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
  at: instantSchema,
});
export type Checkpoint = z.infer<typeof checkpointSchema>;
