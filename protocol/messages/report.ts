import { z } from 'zod';
import { audiences, gradingSubject, idSchema, sha256Schema, slugSchema } from './common.ts';

const count = z.int().min(0).max(1_000_000_000);
/** A season's longest track makes over 10⁹ tokens; z.int() itself ends at 2⁵³ − 1. */
const total = z.int().min(0);

/** One metric's sufficient statistics: the score is sumC / (n·k) for means, and recomputable by anyone. */
export const metricResultSchema = z.strictObject({
  name: z.string().regex(/^(mean|avg@\d{1,2}|pass@\d{1,2}|pass\^\d{1,2})$/),
  /** Tasks in the split; never smaller than the split's size. */
  n: z.int().min(1).max(1_000_000),
  /** Trials per task. */
  k: z.int().min(1).max(100),
  sumC: count,
  /** Only for k > 1: the sum of squares of per-task success counts. */
  sumC2: count.nullable(),
  low: z.number().min(0).max(1),
  high: z.number().min(0).max(1),
});
export type MetricResult = z.infer<typeof metricResultSchema>;

/** Counts in bands, so that a result can't carry a message out: 0, 1–4, 5–9, 10–19, 20–49, 50–99, 100+. */
export const bands = ['0', '1-4', '5-9', '10-19', '20-49', '50-99', '100+'] as const;
const band = z.enum(bands);

/** The band that holds a count. throws RangeError for anything but an integer ≥ 0. */
export function bandOf(value: number): (typeof bands)[number] {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`a count is an integer ≥ 0, got ${value}`);
  if (value === 0) return '0';
  if (value < 5) return '1-4';
  if (value < 10) return '5-9';
  if (value < 20) return '10-19';
  if (value < 50) return '20-49';
  return value < 100 ? '50-99' : '100+';
}

/** How trials went wrong by the system's own doing. They count 0 and stay in the denominator. */
export const failureBandsSchema = z.strictObject({
  timeout: band,
  turnLimit: band,
  truncation: band,
  unparsable: band,
  empty: band,
});
export type FailureBands = z.infer<typeof failureBandsSchema>;

/** Totals over all trials. Two significant figures for hidden splits, exact for visible ones; null is unknown. */
export const totalsSchema = z.strictObject({
  promptTokens: total.nullable(),
  cachedTokens: total.nullable(),
  generatedTokens: total.nullable(),
  /** Hours of replay, engine up to engine down, summed over runners. */
  replayHours: z.number().min(0).nullable(),
});
export type Totals = z.infer<typeof totalsSchema>;

/** What a result was computed on. Digests and closed words only. */
export const environmentSchema = z.strictObject({
  engine: z.string().regex(/^[a-z0-9.+ _-]{1,64}$/i),
  engineDigest: sha256Schema,
  template: sha256Schema,
  flags: z.string().regex(/^[\x20-\x7e]{0,256}$/),
  hardware: z.string().regex(/^[\x20-\x7e]{0,128}$/),
  isolation: z.enum(['container', 'process+uid+netns', 'process+netns', 'process']),
  /** SHA-256 of the file the engine was given. */
  weights: sha256Schema,
});
export type Environment = z.infer<typeof environmentSchema>;

/** Grading ended without a score, by our doing. */
export const failureCauses = [
  'engine',
  'runner',
  'verifier',
  'deadline',
  'cancelled',
  'chunks',
  'split',
  'internal',
] as const;
/** Grading ended without a score, by the system's doing: the weights could not be served at all. */
export const systemFailures = ['weightsUnloadable', 'weightsMismatch'] as const;

/**
 * What a reader must know of a scored result. `heldForRetries`: more than 2 % of the trials were retried
 * (scoring/retries.ts), so it isn't published before a maintainer looked. For a hidden split that is one bit on top of
 * `retriedTrials`; exact counts are in the maintainers' part alone.
 */
export const resultFlags = ['notIsolatedFromHost', 'moreRunnersThanOne', 'heldForRetries'] as const;
export type ResultFlag = (typeof resultFlags)[number];

export const resultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('scored'),
    /** The season's metric first; others may follow. */
    metrics: z.array(metricResultSchema).min(1).max(8),
    failures: failureBandsSchema,
    totals: totalsSchema,
    environment: environmentSchema,
    retriedTrials: band,
    flags: z.array(z.enum(resultFlags)).max(8),
  }),
  z.discriminatedUnion('fault', [
    z.strictObject({ kind: z.literal('failed'), fault: z.literal('ours'), cause: z.enum(failureCauses) }),
    z.strictObject({ kind: z.literal('failed'), fault: z.literal('system'), cause: z.enum(systemFailures) }),
  ]),
]);
export type Result = z.infer<typeof resultSchema>;

/** Attachments of a report, and bytes of one, at most. */
export const attachmentsMax = 16;
export const attachmentBytesMax = 64 * 1024 * 1024;

/** What may go back to the team on validation: never for hidden splits. */
export const attachmentSchema = z.strictObject({
  sha256: sha256Schema,
  size: z.int().min(1).max(attachmentBytesMax),
  kind: z.enum(['trials']),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** Grader → gateway: how a grading ended. The maintainers' part travels beside it, named here by digest. */
export const reportSchema = z.strictObject({
  v: z.literal(1),
  aud: z.literal(audiences.gateway),
  id: idSchema('report'),
  ...gradingSubject,
  /** SHA-256 of the order's JWS text: the report answers exactly that order. */
  orderDigest: sha256Schema,
  /** Said by the vault, not by the order: whether the split is hidden. */
  hidden: z.boolean(),
  result: resultSchema,
  attachments: z.array(attachmentSchema).max(attachmentsMax),
  /** SHA-256 of the encrypted maintainers' part (a compact JWE of fixed size). */
  maintainersPart: sha256Schema,
});
export type Report = z.infer<typeof reportSchema>;

/** What crosses: the signed public report and the sealed maintainers' part. */
export const reportEnvelopeSchema = z.strictObject({
  report: z.string().max(65_536),
  maintainers: z.string().max(16_384),
});
export type ReportEnvelope = z.infer<typeof reportEnvelopeSchema>;

/** The maintainers' part before encryption; padded to a fixed size so that its length says nothing. */
export const maintainersPartSchema = z.strictObject({
  order: idSchema('order'),
  holdCause: z.string().max(200).nullable(),
  failedPhases: z.array(z.strictObject({ phase: slugSchema, count })).max(32),
  detail: z.string().max(1500),
});
export type MaintainersPart = z.infer<typeof maintainersPartSchema>;
