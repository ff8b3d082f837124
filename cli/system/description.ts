import { z } from 'zod';

/** `system.toml`: what a team says about a system. */
export const descriptionSchema = z.strictObject({
  track: z.string({ error: 'must name the track' }).min(1),
  edits: z.array(z.enum(['data', 'trainer', 'harness'], { error: 'must be data, trainer or harness' }), {
    error: 'must list what was edited; [] for nothing',
  }),
  name: z.string({ error: 'must be given' }).trim().min(1).max(80),
  notes: z.string().max(4000).optional(),
  license: z.string({ error: 'must be given' }).trim().min(1).max(80),
  base: z.string({ error: 'must name the base model' }).trim().min(1).max(200),
  terms: z
    .string({ error: 'must be the SHA-256 of the terms you accept' })
    .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the terms you accept'),
});
export type Description = z.infer<typeof descriptionSchema>;
