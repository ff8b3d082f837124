import { z } from 'zod';
import { idSchema, instantSchema, slugSchema } from '../ids.ts';
import { publicEntrySchema } from './board.ts';
import { displayNameSchema } from './teams.ts';

/** POST /entries: one row of the board: a research agent and its harness. */
export const newEntrySchema = z.strictObject({
  team: idSchema('team'),
  season: slugSchema,
  /** The research agent, e.g. "Kimi-K3". */
  agent: displayNameSchema,
  /** What drove it, e.g. "Claude Code"; null where there was nothing. */
  agentHarness: displayNameSchema.nullable(),
});
export const entrySchema = z.object({
  id: idSchema('entry'),
  team: idSchema('team'),
  season: slugSchema,
  agent: z.string(),
  agentHarness: z.string().nullable(),
  createdAt: instantSchema,
});
export type Entry = z.infer<typeof entrySchema>;

/** POST /entries/:id/runs: starts the clock on one track. */
export const newRunSchema = z.strictObject({ track: slugSchema });
export const runSchema = z.object({
  id: idSchema('run'),
  entry: idSchema('entry'),
  season: slugSchema,
  track: slugSchema,
  startedAt: instantSchema,
  budgetHours: z.number(),
  /** Instant at which the budget is used up. */
  deadline: instantSchema,
  /** Time in which validation submissions were queued or graded; side by side counts once. */
  waitedHours: z.number(),
  endedAt: instantSchema.nullable(),
  endReason: z.enum(['final', 'finished']).nullable(),
  quota: z.lazy(() => quotaSchema),
});
export type Run = z.infer<typeof runSchema>;

const allowance = z.object({ limit: z.int(), spent: z.int(), reserved: z.int(), left: z.int() });

/** What may still be done in a run: computed by the function that enforces it. */
export const quotaSchema = z.object({
  run: idSchema('run'),
  finals: allowance,
  validations: allowance,
  failedTries: allowance,
});
export type Quota = z.infer<typeof quotaSchema>;
export type NewEntry = z.infer<typeof newEntrySchema>;
export type NewRun = z.infer<typeof newRunSchema>;

/** GET /entries: those of the caller's teams. */
export const entryListSchema = z.object({ entries: z.array(entrySchema) });
/** GET /entries/:id: what is published of it, and its runs for its team and maintainers alone (else none). */
export const entryDetailSchema = entrySchema.extend({
  runs: z.array(runSchema),
  published: publicEntrySchema.nullable(),
});
export type EntryList = z.infer<typeof entryListSchema>;
export type EntryDetail = z.input<typeof entryDetailSchema>;
