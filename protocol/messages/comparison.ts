import { z } from 'zod';
import { audiences, idSchema, sha256Schema, slugSchema } from './common.ts';

/** One character per pair (i, j), i < j, row by row: '>' i better, '<' i worse, '=' not distinguishable. */
const verdicts = z
  .string()
  .regex(/^[<=>]*$/)
  .max(499_500);

/**
 * Grader → gateway: which ranked systems differ. Answers exactly one checkpoint; only verdicts leave, never the sums
 * behind them. `track` is null for the comparison of averages, whose `systems` are entries' gradings joined by '+'.
 */
export const comparisonSchema = z.strictObject({
  v: z.literal(1),
  aud: z.literal(audiences.gateway),
  season: slugSchema,
  track: slugSchema.nullable(),
  split: sha256Schema.nullable(),
  logSize: z.int().min(1),
  systems: z.array(idSchema('grading')).max(1000),
  verdicts,
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** The place of pair (i, j), 0 ≤ i < j < count, in the packed triangle. throws RangeError outside it. */
export function pairPlace(i: number, j: number, count: number): number {
  if (!(Number.isInteger(i) && Number.isInteger(j) && 0 <= i && i < j && j < count))
    throw new RangeError(`no pair (${i}, ${j}) among ${count}`);
  return i * count - (i * (i + 1)) / 2 + (j - i - 1);
}
