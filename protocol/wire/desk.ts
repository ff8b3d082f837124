/**
 * The enclave's HTTP between grader (the desk) and runners. Bearer token: a runner JWT (typ vtb-runner+jwt).
 * Every replay and every trial is held by lease: `fencing` is the number that came with it. Where a route has a JSON
 * body the number is in it; otherwise it is the query's `fencing`. A number that is no longer the current one, or whose
 * lease ended, gets 409 lease.stale, and the work is dropped. Things that another runner holds, or that are not there,
 * are 404 alike. Errors are problem documents (wire/problem.ts). Everything may be sent twice.
 */
import { z } from 'zod';
import { sha256Schema } from '../digest.ts';
import { idSchema, slugSchema } from '../ids.ts';
import { capabilitiesSchema } from '../messages/notice.ts';
import { environmentSchema, systemFailures } from '../messages/report.ts';
import { trackSchema } from '../season/track.ts';

const fencing = z.int().min(1);
const milliseconds = z
  .int()
  .min(0)
  .max(10 * 365 * 86_400_000);

/** Seconds that POST /replays/lease may wait for work before it answers null. */
export const leaseWaitSecondsMax = 20;
/** Bytes of a JSON body at most; an outcome's texts are the largest. */
export const deskBodyBytesMax = 8 * 1024 * 1024;
/**
 * Of each of an outcome's two texts: its UTF-16 units, and the bytes of its JSON, both texts of which fit into one body
 * beside the rest of it. A runner keeps the end of what is longer.
 */
export const outcomeTextCharsMax = 2_000_000;
export const outcomeTextJsonBytesMax = deskBodyBytesMax / 2 - 64 * 1024;
/** Bytes of one artifact at most. */
export const artifactBytesMax = 64 * 1024 * 1024;
/** Trials that one claim may ask for. */
export const claimRoomMax = 1024;

/** The query of routes that have no JSON body: GET and PUT of bytes. */
export const fencedQuerySchema = z.strictObject({ fencing: z.coerce.number().pipe(fencing) });

/**
 * POST /replays/lease. `waitSeconds` 0 asks without waiting. A runner holds one replay at a time: asking gives up the one
 * that it still holds, so it may ask anew after a restart or a lost answer without waiting for the lease to end.
 */
export const leaseRequestSchema = z.strictObject({
  capabilities: capabilitiesSchema,
  waitSeconds: z.int().min(0).max(leaseWaitSecondsMax),
});
export type LeaseRequest = z.infer<typeof leaseRequestSchema>;

/** A replay that the runner now holds: everything needed to write the engine's file and to render prompts. */
export const replayLeaseSchema = z.strictObject({
  replay: idSchema('replay'),
  fencing,
  /** 1 for an order's first replay. */
  attempt: z.int().min(1),
  /** The lease ends this long after the answer was written, unless a heartbeat renews it. */
  leaseMs: milliseconds,
  /** Send a heartbeat this often. */
  heartbeatMs: milliseconds,
  season: slugSchema,
  /** The track as the grader's season defines it; `settings` is its settingsDigest. */
  track: trackSchema,
  settings: sha256Schema,
  /** Digest of the manifest, itself readable as a chunk. */
  system: sha256Schema,
});
export type ReplayLease = z.infer<typeof replayLeaseSchema>;

/** null: nothing to do now, ask again. */
export const leaseReplySchema = z.strictObject({ replay: replayLeaseSchema.nullable() });
export type LeaseReply = z.infer<typeof leaseReplySchema>;

const heldTrial = z.strictObject({ trial: idSchema('trial'), fencing });

/** POST /replays/:id/heartbeat: renews the replay's lease and those of the trials it names. */
export const heartbeatSchema = z.strictObject({ fencing, trials: z.array(heldTrial).max(claimRoomMax) });
export type Heartbeat = z.infer<typeof heartbeatSchema>;

/** `lost` names trials that are no longer this runner's: stop working on them. A cancelled replay answers 409. */
export const heartbeatReplySchema = z.strictObject({
  leaseMs: milliseconds,
  lost: z.array(idSchema('trial')),
});
export type HeartbeatReply = z.infer<typeof heartbeatReplySchema>;

/**
 * POST /replays/:id/trials/claim: up to `room` more trials. The engine is up by now; `environment` says what is
 * running, the same in every claim of a replay (another one is 409 state.conflict).
 */
export const claimSchema = z.strictObject({
  fencing,
  room: z.int().min(1).max(claimRoomMax),
  environment: environmentSchema,
});
export type Claim = z.infer<typeof claimSchema>;

/** One trial that the runner now holds. */
export const claimedTrialSchema = z.strictObject({
  trial: idSchema('trial'),
  fencing,
  attempt: z.int().min(1),
  /** For the engine's sampler; the same in every attempt of this trial. */
  seed: z.int().min(0).max(0xffff_ffff),
});
export type ClaimedTrial = z.infer<typeof claimedTrialSchema>;

/**
 * `trials` empty and `left` 'elsewhere': other runners hold the rest, ask again later (some may come back).
 * `left` 'none': every trial of the order is resolved or in these `trials`; when they are done, finish.
 */
export const claimReplySchema = z.strictObject({
  leaseMs: milliseconds,
  trials: z.array(claimedTrialSchema).max(claimRoomMax),
  left: z.enum(['claimable', 'elsewhere', 'none']),
});
export type ClaimReply = z.infer<typeof claimReplySchema>;

/** GET /trials/:id/task?fencing=N: one task, without its label and without its name. */
export const deskTaskSchema = z.discriminatedUnion('driver', [
  /** The message is `renderPrompt(track, problem)`. */
  z.strictObject({ driver: z.literal('prompt'), problem: z.string().max(20_000) }),
]);
export type DeskTask = z.infer<typeof deskTaskSchema>;

/** POST /trials/:id/agent-done: from here on nothing submitted runs for this trial. */
export const agentDoneSchema = z.strictObject({ fencing });
export const agentDoneReplySchema = z.strictObject({ leaseMs: milliseconds });

/** Tokens as the proxy metered them; null is unknown, never 0. */
export const usageSchema = z.strictObject({
  promptTokens: z.int().min(0).nullable(),
  cachedTokens: z.int().min(0).nullable(),
  generatedTokens: z.int().min(0).nullable(),
});
export type Usage = z.infer<typeof usageSchema>;

/** What became of a trial in the box. Rewards are made from it elsewhere. */
export const trialOutcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answered'),
    /** Why generation ended. */
    end: z.enum(['stop', 'length', 'timeout', 'turnLimit']),
    /** The answer as served; raw text with its reasoning in it where nothing parsed that out. */
    output: z.string().max(outcomeTextCharsMax),
    /** The reasoning, where it was parsed out; null where it was not. */
    reasoning: z.string().max(outcomeTextCharsMax).nullable(),
    usage: usageSchema,
    durationMs: milliseconds,
  }),
  /**
   * `system`: the system's doing, the trial counts 0. `ours`: tried again with the same seed, a bounded number of times.
   * `phase` is ours to name, e.g. 'serve'.
   */
  z.strictObject({
    kind: z.literal('failed'),
    fault: z.enum(['system', 'ours']),
    phase: slugSchema,
    usage: usageSchema,
    durationMs: milliseconds,
  }),
]);
export type TrialOutcome = z.infer<typeof trialOutcomeSchema>;

/** PUT /trials/:id/outcome. The same outcome again is accepted again; another one is 409 state.conflict. */
export const putOutcomeSchema = z.strictObject({ fencing, outcome: trialOutcomeSchema });
export const outcomeReplySchema = z.strictObject({ accepted: z.literal(true), again: z.boolean() });

/** PUT /trials/:id/artifacts/:sha256?fencing=N: bytes, hashed while they come in. */
export const artifactReplySchema = outcomeReplySchema;

/**
 * POST /replays/:id/finish: engine down.
 * `done`: no trial was left. `released`: stopping for another reason; what is left goes to the next attempt.
 * `failed`: this replay can't go on, by whose fault.
 */
export const finishSchema = z.strictObject({
  fencing,
  result: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('done') }),
    z.strictObject({ kind: z.literal('released') }),
    z.discriminatedUnion('fault', [
      z.strictObject({
        kind: z.literal('failed'),
        fault: z.literal('ours'),
        cause: z.enum(['engine', 'runner']),
      }),
      z.strictObject({
        kind: z.literal('failed'),
        fault: z.literal('system'),
        cause: z.enum(systemFailures),
      }),
    ]),
  ]),
  /** Engine up to engine down; 0 when it never came up. */
  engineMs: milliseconds,
});
export type Finish = z.infer<typeof finishSchema>;
export const finishReplySchema = z.strictObject({ accepted: z.literal(true), again: z.boolean() });

/**
 * Bytes, application/octet-stream:
 * GET /replays/:id/chunks/:sha256?fencing=N  a chunk of the system's weights (or harness), or its manifest
 * GET /replays/:id/assets/:sha256?fencing=N  one of the track's base files: facts, header, chat template
 */
export const deskPaths = {
  lease: () => '/replays/lease',
  heartbeat: (replay: string) => `/replays/${replay}/heartbeat`,
  claim: (replay: string) => `/replays/${replay}/trials/claim`,
  finish: (replay: string) => `/replays/${replay}/finish`,
  chunk: (replay: string, sha256: string, number: number) =>
    `/replays/${replay}/chunks/${sha256}?fencing=${number}`,
  asset: (replay: string, sha256: string, number: number) =>
    `/replays/${replay}/assets/${sha256}?fencing=${number}`,
  task: (trial: string, number: number) => `/trials/${trial}/task?fencing=${number}`,
  agentDone: (trial: string) => `/trials/${trial}/agent-done`,
  artifact: (trial: string, sha256: string, number: number) =>
    `/trials/${trial}/artifacts/${sha256}?fencing=${number}`,
  outcome: (trial: string) => `/trials/${trial}/outcome`,
} as const;
