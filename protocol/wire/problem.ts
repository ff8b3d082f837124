import { z } from 'zod';

/** RFC 9457 problem document; `code` is stable, `problems` lists everything that is wrong, not only the first. */
export const problemDocumentSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  requestId: z.string(),
  problems: z.array(
    z.object({ code: z.string(), at: z.string(), message: z.string(), fix: z.string().optional() }),
  ),
});
export type ProblemDocument = z.infer<typeof problemDocumentSchema>;
