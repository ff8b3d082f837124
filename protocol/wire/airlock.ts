import { z } from 'zod';
import { comparisonBytesMax } from '../messages/comparison.ts';
import { feedPlace } from '../messages/order.ts';
import { reportEnvelopeSchema } from '../messages/report.ts';

/** GET /airlock/feed?after=N&wait=S: signed messages in the gateway's one sequence, oldest first. */
export const feedSchema = z.object({
  items: z
    .array(
      z.object({
        number: feedPlace.number,
        kind: z.enum(['order', 'cancel', 'checkpoint']),
        jws: z.string(),
      }),
    )
    .max(100),
});
export type Feed = z.infer<typeof feedSchema>;

/** POST /airlock/reports. */
export const postReportSchema = reportEnvelopeSchema;
/** POST /airlock/notices. */
export const postNoticeSchema = z.strictObject({ notice: z.string().max(1_000_000) });
/** POST /airlock/comparisons. */
export const postComparisonSchema = z.strictObject({ comparison: z.string().max(comparisonBytesMax) });
/** The answer to each: accepted now, or the second time. */
export const acceptedSchema = z.object({ accepted: z.literal(true), again: z.boolean() });
