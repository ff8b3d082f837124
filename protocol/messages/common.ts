import { z } from 'zod';
import { sha256Schema } from '../digest.ts';
import { idSchema, instantSchema, slugSchema } from '../ids.ts';

/** Why a grading happens. */
export const causes = ['first', 'regrade', 'reverify', 'rescore', 'retry'] as const;
export const causeSchema = z.enum(causes);
export type Cause = z.infer<typeof causeSchema>;

/** What a submission is for. */
export const purposes = ['validation', 'final'] as const;
export const purposeSchema = z.enum(purposes);
export type Purpose = z.infer<typeof purposeSchema>;

/** Receivers named in `aud`. */
export const audiences = { grader: 'vtb-grader', gateway: 'vtb-gateway', public: 'vtb-public' } as const;

/** What every message about one grading repeats, so that none can be read as about another. */
export const gradingSubject = {
  order: idSchema('order'),
  grading: idSchema('grading'),
  /** 1 for the first grading of a submission; a gap that shows is a report withheld. */
  gradingNumber: z.int().min(1).max(100_000),
  submission: idSchema('submission'),
  season: slugSchema,
  track: slugSchema,
  purpose: purposeSchema,
  system: sha256Schema,
  split: sha256Schema,
  settings: sha256Schema,
} as const;

export { idSchema, instantSchema, sha256Schema, slugSchema };
