import { z } from 'zod';
import { idSchema, instantSchema } from '../ids.ts';
import { researchLineSchema } from '../researchLog/line.ts';

/** The media type of POST /runs/:id/log: one JSON object a line. */
export const researchLogType = 'application/jsonl';

/** POST /runs/:id/log: lines that are there already are counted and change nothing. */
export const appendedLinesSchema = z.object({
  run: idSchema('run'),
  /** Lines that are new in the run's log. */
  added: z.int(),
  /** Lines that it had, or that this request brought twice. */
  known: z.int(),
  /** Lines that the run's log has now. */
  lines: z.int(),
});
export type AppendedLines = z.infer<typeof appendedLinesSchema>;

/** Lines in one answer of GET /runs/:id/log. */
export const researchPageLinesMax = 1_000;

/** GET /runs/:id/log?after=&limit=: oldest first; `next` is the `after` of the page that follows, null on the last. */
export const researchPageSchema = z.object({
  run: idSchema('run'),
  lines: z.array(
    z.object({
      number: z.int(),
      /** When it was taken in. */
      receivedAt: instantSchema,
      line: researchLineSchema,
    }),
  ),
  next: z.int().nullable(),
});
export type ResearchPage = z.infer<typeof researchPageSchema>;
