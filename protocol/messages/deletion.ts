import { z } from 'zod';
import { audiences, idSchema, instantSchema, sha256Schema, slugSchema } from './common.ts';

/**
 * The gateway's signed statement that it holds none of a system's bytes for its team any more. Digests stay: the
 * manifest, the public log and receipts go on naming what was graded.
 */
export const deletionSchema = z.strictObject({
  v: z.literal(1),
  aud: z.literal(audiences.public),
  submission: idSchema('submission'),
  season: slugSchema,
  track: slugSchema,
  /** The system's digest; its manifest names every chunk. */
  system: sha256Schema,
  chunksDeleted: z.int().min(0),
  bytesDeleted: z.int().min(0),
  /** Chunks that another submission of the same team still needs; they go with that one. */
  chunksKept: z.int().min(0),
  at: instantSchema,
});
export type Deletion = z.infer<typeof deletionSchema>;
