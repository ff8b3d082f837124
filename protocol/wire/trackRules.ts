import { z } from 'zod';
import { sha256Schema } from '../digest.ts';
import { slugSchema } from '../ids.ts';
import { baseFactsSchema } from '../system/base.ts';

/** GET /seasons/:id/tracks/:track/rules: what `vtb check` and `vtb init` need to know of a track. */
export const trackRulesSchema = z.object({
  season: slugSchema,
  seasonTitle: z.string(),
  track: slugSchema,
  trackTitle: z.string(),
  /** A preview takes no finals. */
  preview: z.boolean(),
  edits: z.array(z.enum(['data', 'trainer', 'harness'])),
  weightsFormat: z.enum(['gguf', 'safetensors']),
  /** What a team accepts: its system.toml names the digest of this text. */
  terms: z.object({ sha256: sha256Schema, text: z.string() }),
  /** What weights are compared with; null where the host has none. */
  base: baseFactsSchema.nullable(),
});
export type PublicTrackRules = z.infer<typeof trackRulesSchema>;
