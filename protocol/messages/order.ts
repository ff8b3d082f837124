import { z } from 'zod';
import { audiences, causeSchema, gradingSubject, idSchema, instantSchema, sha256Schema } from './common.ts';

/**
 * The place of a message in the gateway's one numbered feed. `previous` is the SHA-256 of the JWS text before it
 * (64 zeros before number 1), so that a message left out, swapped or repeated is noticed by the next one.
 */
export const feedPlace = {
  number: z.int().min(1),
  previous: sha256Schema,
} as const;

/** Gateway → grader: grade this system. The manifest travels as the chunk whose digest is `system`. */
export const orderSchema = z.strictObject({
  v: z.literal(1),
  aud: z.literal(audiences.grader),
  ...feedPlace,
  ...gradingSubject,
  /** Stable within a season and meaningless outside it: the grader never learns a team's name. */
  team: z.string().regex(/^[0-9a-f]{32}$/),
  cause: causeSchema,
  /** Higher goes first among equals of the same purpose; −10 … 10. */
  priority: z.int().min(-10).max(10),
  issuedAt: instantSchema,
  deadline: instantSchema,
});
export type Order = z.infer<typeof orderSchema>;

/** Gateway → grader: stop working on an order and forget its chunks. */
export const cancelSchema = z.strictObject({
  v: z.literal(1),
  aud: z.literal(audiences.grader),
  ...feedPlace,
  order: idSchema('order'),
  cause: z.enum(['withdrawn', 'disqualified', 'superseded', 'deadline']),
});
export type Cancel = z.infer<typeof cancelSchema>;
