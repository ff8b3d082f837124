import { z } from 'zod';
import { audiences, idSchema, instantSchema, purposeSchema, sha256Schema, slugSchema } from './common.ts';

const envelope = {
  v: z.literal(1),
  aud: z.literal(audiences.gateway),
  id: idSchema('notice'),
  at: instantSchema,
} as const;

/** Grader → gateway: a split that the vault holds. The commitment is SHA-256(salt ‖ split digest), salt kept back. */
export const splitHeldSchema = z.strictObject({
  season: slugSchema,
  track: slugSchema,
  purpose: purposeSchema,
  split: sha256Schema,
  tasks: z.int().min(1).max(1_000_000),
  secrecy: z.enum(['secret', 'held-back', 'public', 'visible']),
  commitment: sha256Schema,
});
export type SplitHeld = z.infer<typeof splitHeldSchema>;

/** What a runner said it can do. */
export const capabilitiesSchema = z.strictObject({
  engines: z.array(z.string().max(64)).max(16),
  drivers: z.array(z.enum(['prompt', 'harbor', 'package'])).max(8),
  isolation: z.enum(['container', 'process+uid+netns', 'process+netns', 'process']),
  hardware: z.string().regex(/^[\x20-\x7e]{0,128}$/),
});
export type Capabilities = z.infer<typeof capabilitiesSchema>;

/** Grader → gateway: about the enclave itself. Nothing about a hidden task, and no timing of a hidden trial. */
export const noticeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...envelope, kind: z.literal('splits'), splits: z.array(splitHeldSchema).max(100) }),
  z.strictObject({
    ...envelope,
    kind: z.literal('runners'),
    runners: z
      .array(z.strictObject({ runner: idSchema('runner'), capabilities: capabilitiesSchema }))
      .max(1000),
  }),
  z.strictObject({
    ...envelope,
    kind: z.literal('progress'),
    order: idSchema('order'),
    state: z.enum(['accepted', 'replaying', 'refused']),
    attempt: z.int().min(1),
    /** Only for visible splits; null for hidden ones. */
    trials: z.strictObject({ done: z.int().min(0), total: z.int().min(1) }).nullable(),
  }),
  z.strictObject({
    ...envelope,
    kind: z.literal('cosignature'),
    season: slugSchema,
    size: z.int().min(1),
    /** The grader's own signature over the same tree head (typ vtb-tree-head+jws). */
    head: z.string().max(4096),
  }),
]);
export type Notice = z.infer<typeof noticeSchema>;
