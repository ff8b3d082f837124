import { z } from 'zod';
import { modelSettings } from './modelSettings.ts';

/** Bounds of one proxy; reaching one refuses or ends requests, never the proxy. */
export const proxyLimits = z.strictObject({
  /** One request's body. */
  bodyBytesMax: z.int().min(1),
  /** All bodies being read at once. */
  pendingBytesMax: z.int().min(1),
  connectionsMax: z.int().min(1),
  /** Requests at the engine at once; the engine must take as many. */
  concurrencyMax: z.int().min(1),
  /** Admitted requests waiting for that, over all trials; one more is answered 429 and isn't a turn. */
  waitingMax: z.int().min(0),
  /** From a request's turn at the engine to its end. */
  requestTimeoutMs: z.int().min(1),
  /** After a cancel, how long the engine may take to report the counts. */
  drainTimeoutMs: z.int().min(1),
  /** One answer of the engine. */
  answerBytesMax: z.int().min(1),
  /** Prompt and output of one conversation together; an engine that counts more prompt tokens isn't believed. */
  contextTokensMax: z.int().min(1),
});

/** Parsed {@link proxyLimits}. */
export type ProxyLimits = Readonly<z.infer<typeof proxyLimits>>;

/** The proxy's first line on stdin. */
export const proxyConfig = z.strictObject({
  engineSocket: z.string(),
  /** Whether the engine knows `DELETE /v1/requests/:id`; if not, what a caller abandons is read to its end. */
  engineCancels: z.boolean(),
  listenSocket: z.string().max(107),
  /** A loopback port beside the socket; null for none. */
  listenPort: z.int().min(0).max(65_535).nullable(),
  settings: modelSettings,
  limits: proxyLimits,
});

/** Parsed {@link proxyConfig}. */
export type ProxyConfig = Readonly<z.infer<typeof proxyConfig>>;

/** Opens a trial: from now on its token is admitted. */
export const openTrial = z.strictObject({
  kind: z.literal('openTrial'),
  trial: z.string().min(1).max(200),
  /** The trial's own bearer token, ≥ 128 random bits. */
  token: z.string().min(16).max(200),
  /** Turn t (from 0) is sampled with seed + t modulo 2^32. */
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1),
  turnsMax: z.int().min(1),
  /** Per request; the track's bound where that is smaller. */
  outputTokensMax: z.int().min(1),
});

/** Every later line on stdin. */
export const proxyCommand = z.discriminatedUnion('kind', [
  openTrial,
  z.strictObject({ kind: z.literal('closeTrial'), trial: z.string() }),
]);

/** Parsed {@link proxyCommand}. */
export type ProxyCommand = Readonly<z.infer<typeof proxyCommand>>;

/** An engine's count; null is unknown and never 0. */
const count = z.int().min(0).nullable();
const counts = { promptTokens: count, cachedTokens: count, generatedTokens: count };

/**
 * The record of one admitted request; there is exactly one for each.
 *
 * outcome  answered; aborted (the caller left or the trial closed); refused (by the engine, such as a conversation
 *          longer than the context); failed (the engine broke, or counted what can't be); timeout
 * finish   the engine's own reason; null where it gave none
 */
const usageFields = {
  trial: z.string(),
  turn: z.int().min(0),
  ...counts,
  outcome: z.enum(['answered', 'aborted', 'refused', 'failed', 'timeout']),
  finish: z.string().max(40).nullable(),
  durationMs: z.number().min(0),
};

/** A usage record as the runner gets it. */
export const usageRecord = z.strictObject(usageFields);

/** Parsed {@link usageRecord}. */
export type UsageRecord = Readonly<z.infer<typeof usageRecord>>;

const totalsFields = { trial: z.string(), turns: z.int().min(0), refusals: z.int().min(0), ...counts };

/** What a closed trial used in all; a count is null as soon as one of its requests' is. */
export const trialTotals = z.strictObject(totalsFields);

/** Parsed {@link trialTotals}. */
export type TrialTotals = Readonly<z.infer<typeof trialTotals>>;

/** The proxy's lines on stdout. */
export const proxyEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready'), port: z.int().nullable() }),
  z.strictObject({ kind: z.literal('opened'), trial: z.string() }),
  z.strictObject({ kind: z.literal('usage'), ...usageFields }),
  z.strictObject({ kind: z.literal('closed'), ...totalsFields }),
]);

/** Parsed {@link proxyEvent}. */
export type ProxyEvent = Readonly<z.infer<typeof proxyEvent>>;
