import { z } from 'zod';
import { closedObject } from './closedObject.ts';
import { lineSchema, proseSchema, slugSchema } from './fields.ts';

/** A score as its source prints it, in tenths of a percent: 32.9 % is 329. */
const scoreTenthsSchema = z
  .int('must be whole tenths of a percent: 32.9 % is 329')
  .min(0, 'must be at least 0')
  .max(1_000, 'must be at most 1000 (100 %)');

const scoresTenthsSchema = z.record(slugSchema, scoreTenthsSchema);

const common = {
  name: lineSchema,
  scoreTenths: scoresTenthsSchema,
  avgTenths: scoreTenthsSchema.optional(),
  hoursTenths: z.int('must be whole tenths of an hour').min(0, 'must be at least 0').optional(),
  source: lineSchema,
};

/**
 * A row that somebody else measured: a baseline or a published result. Never ranked with replayed rows.
 *
 * scoreTenths  per track id, tenths of a percent; a track that is absent shows as a dash.
 * avgTenths    as the source prints it; the board shows it, and never ranks by it.
 * hoursTenths  elapsed research time over all tracks, tenths of an hour; absent shows as a dash.
 */
export const rowSchema = z.discriminatedUnion(
  'kind',
  [
    closedObject({ kind: z.literal('baseline'), ...common, weights: lineSchema }),
    closedObject({
      kind: z.literal('reported'),
      ...common,
      researchAgent: lineSchema,
      researchHarness: lineSchema,
    }),
  ],
  { error: 'must be baseline or reported' },
);

/** A baseline or reported row. */
export type Row = z.infer<typeof rowSchema>;

/** One line of a reported ablation: the same agent allowed to change only some components. */
export const ablationSchema = closedObject({
  agent: lineSchema,
  label: lineSchema,
  scoreTenths: scoresTenthsSchema,
  note: proseSchema.optional(),
  source: lineSchema,
});

/** A reported ablation line. */
export type Ablation = z.infer<typeof ablationSchema>;
