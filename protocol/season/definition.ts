import { z } from 'zod';
import { closedObject } from './closedObject.ts';
import {
  assetSchema,
  countSchema,
  editsSchema,
  instantSchema,
  lineSchema,
  proseSchema,
  slugSchema,
} from './fields.ts';
import { ablationSchema, rowSchema } from './row.ts';
import { trackSchema } from './track.ts';

/** Board columns that are not tracks; the rest of a season's `columns` are track ids. */
export const builtInColumns = ['avg', 'hours', 'researchTokens', 'replayTokens', 'finalsUsed'] as const;

/** A board column that is not a track. */
export type BuiltInColumn = (typeof builtInColumns)[number];

const flag = z.boolean('must be true or false');

/** Caps, each counted by the ledger. finalsMax is per team and track; the other two are per run. */
const quotasSchema = closedObject({
  finalsMax: countSchema,
  failedTriesMax: countSchema,
  validationTriesMax: countSchema,
});

/** Which safeguards and freedoms the contest has: the columns by which benchmarks of this kind differ. */
const safeguardsSchema = closedObject({
  trajectoryFeedback: flag,
  iterativeRevision: flag,
  data: flag,
  trainer: flag,
  harness: flag,
  jointCoDesign: flag,
  devTestIsolation: flag,
  trainEvalIsolation: flag,
});

/**
 * One edition of the contest, as its TOML says it. A `preview` shows everything and takes no finals.
 *
 * releaseGridSeconds  results are published only at multiples of this many seconds since the epoch.
 * uploadGraceHours    how long bytes may follow a committed manifest.
 * openQueue           whether everybody may see, by agent and state, which finals are on their way.
 * creditsWaiting      whether time queued and graded is given back to a run's budget.
 * columns             the board's columns in order: built-in names and track ids.
 */
export const seasonSchema = closedObject({
  schema: z.literal(1, { error: 'must be 1' }),
  id: slugSchema,
  title: lineSchema,
  tagline: lineSchema,
  description: proseSchema,
  year: z.int('must be a year').min(2020, 'must be at least 2020').max(2200, 'must be at most 2200'),
  status: z.enum(['open', 'preview'], { error: 'must be open or preview' }),
  opensAt: instantSchema,
  closesAt: instantSchema,
  edits: editsSchema,
  baseModel: closedObject({ name: lineSchema, license: lineSchema, note: lineSchema.optional() }),
  releaseGridSeconds: countSchema,
  uploadGraceHours: z.number().gt(0, 'must be more than 0').default(12),
  creditsWaiting: flag,
  openQueue: flag,
  quotas: quotasSchema,
  columns: z.array(z.string()).min(1, 'must name at least one column').readonly(),
  terms: assetSchema,
  source: closedObject({
    title: lineSchema,
    authors: lineSchema,
    publisher: lineSchema,
    publishedOn: z.iso.date({ error: 'must be a date' }),
  }).optional(),
  safeguards: safeguardsSchema,
  tracks: z
    .array(trackSchema)
    .min(1, 'must have at least one track')
    .max(50, 'must have at most 50')
    .readonly(),
  rows: z.array(rowSchema).max(500, 'must have at most 500').readonly().default([]),
  ablations: z.array(ablationSchema).max(500, 'must have at most 500').readonly().default([]),
});

/** A season's definition, checked. */
export type Season = z.infer<typeof seasonSchema>;

/** The track with this id, if the season has it. */
export function findTrack(season: Season, trackId: string) {
  return season.tracks.find((track) => track.id === trackId);
}
