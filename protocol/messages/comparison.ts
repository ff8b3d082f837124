import { z } from 'zod';
import { canonicalJson } from '../canonicalJson.ts';
import { sha256Hex } from '../digest.ts';
import { audiences, sha256Schema, slugSchema } from './common.ts';

/** Systems in one comparison; rows ranked below are not compared. */
export const comparedMax = 1_000;

/** Tracks of a season that is compared in Avg.: a row there names one grading for each. */
export const averagedTracksMax = 16;

/** The longest comparison message: 1,000 rows of 16 gradings and all their pairs, signed. */
export const comparisonBytesMax = 2_000_000;

/** One character per pair (i, j), i < j, in the order of pairTriangle: '>' i better, '<' i worse, '=' not distinguishable. */
const verdicts = z
  .string()
  .regex(/^[<=>]*$/)
  .max((comparedMax * (comparedMax - 1)) / 2);

/** A ranked row as comparisons name it: its grading, or in Avg. its gradings in the order of the season's tracks. */
export const comparedSystemSchema = z
  .string()
  .regex(/^grd_[a-km-np-z2-9]{20}(\+grd_[a-km-np-z2-9]{20}){0,15}$/, 'expected gradings joined by +');

/**
 * Grader → gateway: which ranked systems differ. Answers a list that a checkpoint asked for, row for row; only verdicts
 * leave, never the sums behind them. `track` and `split` are null for the comparison in Avg.
 */
export const comparisonSchema = z.strictObject({
  v: z.literal(1),
  aud: z.literal(audiences.gateway),
  season: slugSchema,
  track: slugSchema.nullable(),
  split: sha256Schema.nullable(),
  /** Size of the log at a checkpoint that asked for this list. */
  logSize: z.int().min(1),
  /** Best first, as the checkpoint says. */
  systems: z.array(comparedSystemSchema).max(comparedMax),
  verdicts,
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** Names a list of systems on a track (null: Avg.) of a season: the same rows in the same order, and only they. */
export function comparedListDigest(list: Pick<Comparison, 'season' | 'track' | 'systems'>): string {
  const { season, track, systems } = list;
  return sha256Hex(canonicalJson({ season, track, systems: [...systems] }));
}

/** How a row of an Avg. comparison is named. */
export function averagedSystem(gradings: readonly string[]): string {
  return gradings.join('+');
}

/** The place of pair (i, j), 0 ≤ i < j < count, in the packed triangle. throws RangeError outside it. */
export function pairPlace(i: number, j: number, count: number): number {
  if (!(Number.isInteger(i) && Number.isInteger(j) && 0 <= i && i < j && j < count))
    throw new RangeError(`no pair (${i}, ${j}) among ${count}`);
  return i * count - (i * (i + 1)) / 2 + (j - i - 1);
}
