import { z } from 'zod';
import { idSchema, instantSchema, slugSchema } from '../ids.ts';
import { purposeSchema } from '../messages/common.ts';

/** POST /admin/submissions/:id/regrade. */
export const regradedSchema = z.object({
  submission: idSchema('submission'),
  grading: idSchema('grading'),
  number: z.int(),
  order: idSchema('order'),
});
export type Regraded = z.infer<typeof regradedSchema>;

/** GET /admin/queue: open orders, what is at work first, then in the order in which they will start. */
export const queueSchema = z.object({
  orders: z.array(
    z.object({
      number: z.int(),
      order: idSchema('order'),
      submission: idSchema('submission'),
      season: slugSchema,
      track: slugSchema,
      purpose: purposeSchema,
      team: idSchema('team'),
      state: z.enum(['waiting', 'atWork']),
      orderedAt: instantSchema,
      nominalMinutes: z.number(),
      position: z.int().nullable(),
      expectedWaitMinutes: z.number().nullable(),
    }),
  ),
  /** Queued submissions that nothing is ordered for, with why. */
  unordered: z.array(z.object({ submission: idSchema('submission'), reason: z.string().nullable() })),
});
export type Queue = z.infer<typeof queueSchema>;

/** Lines in one answer of GET /admin/audit?before=&subject=&limit=. */
export const auditLinesMax = 500;
export const auditSchema = z.object({
  /** Newest first. */
  lines: z.array(
    z.object({
      id: z.int(),
      at: instantSchema,
      actor: z.string(),
      act: z.string(),
      subject: z.string(),
      reason: z.string().nullable(),
      detail: z.unknown(),
    }),
  ),
  /** `before` of the next page; null at the end. */
  next: z.int().nullable(),
});
export type Audit = z.infer<typeof auditSchema>;
