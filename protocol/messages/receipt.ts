import type { JWK } from 'jose';
import { z } from 'zod';
import { idSchema, instantSchema, sha256Schema, slugSchema } from './common.ts';

const jwkSchema = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().max(64),
  kid: z.string().max(64),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
}) satisfies z.ZodType<JWK>;

/** A split as the season record and later leaves pin it. */
export const splitPinSchema = z.strictObject({
  track: slugSchema,
  purpose: z.enum(['validation', 'final']),
  split: sha256Schema,
  commitment: sha256Schema,
});

/** Leaves of the public log, as canonical JSON texts. Leaf 0 is the season record. */
export const leafSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('season'),
    season: slugSchema,
    definition: sha256Schema,
    gatewayKeys: z.array(jwkSchema).min(1).max(8),
    graderKeys: z.array(jwkSchema).min(1).max(8),
    splits: z.array(splitPinSchema).max(100),
    at: instantSchema,
  }),
  z.strictObject({
    kind: z.literal('publication'),
    season: slugSchema,
    track: slugSchema,
    entry: idSchema('entry'),
    submission: idSchema('submission'),
    grading: idSchema('grading'),
    gradingNumber: z.int().min(1),
    system: sha256Schema,
    /** SHA-256 of the report's JWS text. */
    report: sha256Schema,
    at: instantSchema,
  }),
  z.strictObject({
    kind: z.literal('withdrawal'),
    season: slugSchema,
    track: slugSchema,
    submission: idSchema('submission'),
    at: instantSchema,
  }),
  z.strictObject({
    kind: z.literal('comparison'),
    season: slugSchema,
    /** Null, as the split, for the comparison in Avg. */
    track: slugSchema.nullable(),
    split: sha256Schema.nullable(),
    /** SHA-256 of the comparison's JWS text. */
    comparison: sha256Schema,
    at: instantSchema,
  }),
  z.strictObject({
    kind: z.literal('splits'),
    season: slugSchema,
    splits: z.array(splitPinSchema).max(100),
    reason: z.string().max(500),
    at: instantSchema,
  }),
]);
export type Leaf = z.infer<typeof leafSchema>;
export type SeasonRecord = Extract<Leaf, { kind: 'season' }>;

/** The public, signed proof of a published result: everything `vtb verify` needs, in one file. */
export const receiptSchema = z.strictObject({
  schema: z.literal('vtb-receipt/1'),
  /** The report's JWS text. */
  report: z.string().max(65_536),
  publication: z.strictObject({
    leaf: z.string().max(65_536),
    index: z.int().min(1),
    proof: z.array(sha256Schema).max(64),
  }),
  record: z.strictObject({ leaf: z.string().max(65_536), proof: z.array(sha256Schema).max(64) }),
  /** The later leaf that pins the report's split; null where the season record itself does. */
  splits: z
    .strictObject({
      leaf: z.string().max(65_536),
      index: z.int().min(1),
      proof: z.array(sha256Schema).max(64),
    })
    .nullable(),
  /** Tree heads over the same size and root: the gateway's and the grader's. */
  heads: z.strictObject({ gateway: z.string().max(4096), grader: z.string().max(4096) }),
});
export type Receipt = z.infer<typeof receiptSchema>;
