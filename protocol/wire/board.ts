import { z } from 'zod';
import { boardRowSchema, boardTableSchema } from '../board/table.ts';
import { sha256Schema } from '../digest.ts';
import { idSchema, instantSchema, slugSchema } from '../ids.ts';
import { causes } from '../messages/common.ts';
import { resultSchema } from '../messages/report.ts';

export const boardFormats = ['json', 'csv', 'md'] as const;
export type BoardFormat = (typeof boardFormats)[number];

/** GET /seasons/:id/board?asOf=&format=json. */
export const boardSchema = boardTableSchema;

/** GET /seasons. */
export const seasonListSchema = z.object({
  seasons: z.array(
    z.object({
      id: slugSchema,
      title: z.string(),
      tagline: z.string(),
      status: z.enum(['open', 'preview']),
      opensAt: instantSchema,
      closesAt: instantSchema,
      /** Digest of the season's definition. */
      definition: sha256Schema,
      tracks: z.array(
        z.object({
          id: slugSchema,
          title: z.string(),
          preview: z.boolean(),
          budgetHours: z.number(),
          metric: z.string(),
        }),
      ),
      /** Grows with everything the board shows. */
      boardVersion: z.int(),
      boardChangedAt: instantSchema,
    }),
  ),
});
export type SeasonList = z.infer<typeof seasonListSchema>;

/** A published grading, as everybody may see it. */
export const publicGradingSchema = z.object({
  id: idSchema('grading'),
  number: z.int(),
  cause: z.enum(causes),
  publishedAt: instantSchema,
  /** Whether it is the one that counts now. */
  current: z.boolean(),
  result: resultSchema,
  /** Where its receipt is. */
  receipt: z.string(),
});

/** A final of an entry with all its published gradings, oldest first. */
export const publicFinalSchema = z.object({
  submission: idSchema('submission'),
  track: slugSchema,
  system: sha256Schema,
  runStartedAt: instantSchema,
  committedAt: instantSchema,
  withdrawnAt: instantSchema.nullable(),
  gradings: z.array(publicGradingSchema),
});

/** What everybody may see of an entry: its row, and what it is made of. */
export const publicEntrySchema = z.object({
  id: idSchema('entry'),
  season: slugSchema,
  team: z.string(),
  agent: z.string(),
  agentHarness: z.string().nullable(),
  /** Null when all of its results are held. */
  row: boardRowSchema.nullable(),
  finals: z.array(publicFinalSchema),
});
export type PublicEntry = z.infer<typeof publicEntrySchema>;
