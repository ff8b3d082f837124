import { z } from 'zod';
import { sha256Schema } from '../digest.ts';
import { idSchema, instantSchema, slugSchema } from '../ids.ts';
import { causes, purposeSchema } from '../messages/common.ts';
import { resultSchema } from '../messages/report.ts';
import { gradingStates } from '../states/grading.ts';
import { submissionStates } from '../states/submission.ts';

/** POST /runs/:id/submissions: commits to a system. `manifest` is checked by protocol/system/manifest.ts. */
export const newSubmissionSchema = z.strictObject({ purpose: purposeSchema, manifest: z.unknown() });

/** At most this many digests in one answer; ask again after sending them. */
export const missingMax = 10_000;
export const committedSchema = z.object({
  id: idSchema('submission'),
  system: sha256Schema,
  committedAt: instantSchema,
  uploadUntil: instantSchema,
  missing: z.array(sha256Schema).max(missingMax),
  missingCount: z.int(),
});
export type Committed = z.infer<typeof committedSchema>;
export const missingSchema = z.object({
  missing: z.array(sha256Schema).max(missingMax),
  missingCount: z.int(),
});

const problem = z.object({
  code: z.string(),
  at: z.string(),
  message: z.string(),
  fix: z.string().optional(),
});

export const problemListSchema = z.array(problem);

/** How far the enclave is; trials only for visible splits. */
export const progressSchema = z.object({
  state: z.enum(['accepted', 'replaying', 'refused']),
  done: z.int().nullable(),
  total: z.int().nullable(),
});

export const gradingSchema = z.object({
  id: idSchema('grading'),
  number: z.int(),
  cause: z.enum(causes),
  state: z.enum(gradingStates),
  orderedAt: instantSchema,
  finishedAt: instantSchema.nullable(),
  current: z.boolean(),
  published: z.boolean(),
  /** Null until it may be seen: for finals not before publication. */
  result: resultSchema.nullable(),
  receipt: z.string().nullable(),
});

/** GET /submissions/:id. */
export const submissionSchema = z.object({
  id: idSchema('submission'),
  run: idSchema('run'),
  entry: idSchema('entry'),
  season: slugSchema,
  track: slugSchema,
  purpose: purposeSchema,
  state: z.enum(submissionStates),
  stateAt: instantSchema,
  stateReason: z.string().nullable(),
  system: sha256Schema,
  bytes: z.int(),
  bytesArrived: z.int(),
  committedAt: instantSchema,
  uploadUntil: instantSchema,
  problems: z.array(problem),
  withdrawnAt: instantSchema.nullable(),
  /** 1 is next; null unless queued. */
  queuePosition: z.int().nullable(),
  expectedWaitMinutes: z.number().nullable(),
  /** Trials done, for visible splits only. */
  progress: progressSchema.nullable(),
  gradings: z.array(gradingSchema),
});
export type Submission = z.infer<typeof submissionSchema>;

/** One server-sent event of GET /submissions/:id/events; `id` is its number, for Last-Event-ID. */
export const submissionEventSchema = z.object({
  id: z.int(),
  at: instantSchema,
  kind: z.enum(['state', 'progress', 'grading']),
  state: z.enum(submissionStates),
  reason: z.string().nullable(),
  progress: progressSchema.nullable(),
});
export type SubmissionEventMessage = z.infer<typeof submissionEventSchema>;

/** DELETE /submissions/:id/weights: what went, and the gateway's signed statement of it (messages/deletion.ts). */
export const deletedSystemSchema = z.object({
  submission: idSchema('submission'),
  chunksDeleted: z.int(),
  bytesDeleted: z.int(),
  /** Needed by another submission of the team. */
  chunksKept: z.int(),
  deletedAt: instantSchema,
  statement: z.string(),
});
export type DeletedSystem = z.infer<typeof deletedSystemSchema>;

/** POST /submissions/:id/withdraw and POST /admin/submissions/:id/regrade. */
export const reasonSchema = z.strictObject({ reason: z.string().trim().min(1).max(500) });

/** One line of a validation submission's feedback: a trial with everything that happened in it. */
export const trialFeedbackSchema = z.strictObject({
  task: z.string().max(200),
  trial: z.int().min(0),
  reward: z.number().min(0).max(1),
  outcome: z.enum(['done', 'timeout', 'truncated', 'unparsable', 'empty']),
  problem: z.string(),
  expected: z.string(),
  output: z.string(),
  answer: z.string().nullable(),
  promptTokens: z.int().nullable(),
  generatedTokens: z.int().nullable(),
});
export type TrialFeedback = z.infer<typeof trialFeedbackSchema>;
export const feedbackSchema = z.object({
  submission: idSchema('submission'),
  grading: idSchema('grading'),
  missing: z.array(sha256Schema),
  trials: z.array(trialFeedbackSchema),
});
export type Feedback = z.infer<typeof feedbackSchema>;
export type NewSubmission = z.infer<typeof newSubmissionSchema>;
export type MissingChunks = z.infer<typeof missingSchema>;
export type Reason = z.infer<typeof reasonSchema>;

/** GET /runs/:id/submissions: newest first, without their gradings' results. */
export const submissionListSchema = z.object({
  submissions: z.array(
    submissionSchema.pick({
      id: true,
      purpose: true,
      state: true,
      stateAt: true,
      stateReason: true,
      system: true,
      bytes: true,
      committedAt: true,
      withdrawnAt: true,
    }),
  ),
});
export type SubmissionList = z.infer<typeof submissionListSchema>;
