import { z } from 'zod';
import { sha256Schema } from '../digest.ts';
import { instantSchema, slugSchema } from '../ids.ts';
import { comparedSystemSchema } from '../messages/comparison.ts';

/**
 * GET /comparisons/:track?season=: which ranked systems of a track differ; `avg` names the comparison in Avg.
 *
 * comparison  of the list that was ranked last and that the grader has answered; null before the first.
 * systems     gradings, best first; verdicts of their pairs as the signed message packs them.
 * jws         the grader's message itself, and `leaf` its place in the public log.
 */
export const comparisonsSchema = z.object({
  season: slugSchema,
  track: slugSchema.nullable(),
  comparison: z
    .object({
      split: sha256Schema.nullable(),
      logSize: z.int(),
      systems: z.array(comparedSystemSchema),
      verdicts: z.string(),
      jws: z.string(),
      leaf: z.int(),
      at: instantSchema,
    })
    .nullable(),
});
export type ComparisonsView = z.infer<typeof comparisonsSchema>;
