import { z } from 'zod';
import { sha256Schema } from '../digest.ts';
import { instantSchema, slugSchema } from '../ids.ts';

/** Leaves in one answer. */
export const leavesMax = 1_000;

/** A signed tree head; `grader` is null until the grader has signed the same tree. */
export const checkpointViewSchema = z.object({
  size: z.int(),
  root: sha256Schema,
  gateway: z.string(),
  grader: z.string().nullable(),
  at: instantSchema,
});

/**
 * GET /log?season=&from=&limit=&leaf=&since=: a season's public log.
 *
 * log          digest of leaf 0, which names the log; null while the log is not open.
 * size         leaves there are; those past the checkpoint are not signed for yet.
 * checkpoint   the newest tree head that gateway and grader have both signed; null before the first.
 * pending      the tree head that waits for the grader, if any.
 * inclusion    asked for by `leaf`: that leaf is in the checkpoint's tree.
 * consistency  asked for by `since`: the tree of that size is a prefix of the checkpoint's.
 */
export const logSchema = z.object({
  season: slugSchema,
  log: sha256Schema.nullable(),
  size: z.int(),
  leaves: z
    .array(z.object({ index: z.int(), text: z.string(), hash: sha256Schema, at: instantSchema }))
    .max(leavesMax),
  checkpoint: checkpointViewSchema.nullable(),
  pending: checkpointViewSchema.nullable(),
  inclusion: z.object({ index: z.int(), size: z.int(), proof: z.array(sha256Schema) }).nullable(),
  consistency: z.object({ oldSize: z.int(), size: z.int(), proof: z.array(sha256Schema) }).nullable(),
});
export type LogView = z.infer<typeof logSchema>;
