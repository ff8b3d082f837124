import { z } from 'zod';

/** What is kept of progress notices: the newest, and nothing that a hidden split may not show. */
export const progressSchema = z.object({
  state: z.enum(['accepted', 'replaying']),
  attempt: z.int(),
  done: z.int().nullable(),
  total: z.int().nullable(),
});
export type Progress = z.infer<typeof progressSchema>;

/** Whether progress is further than what is known: a later attempt, a later state, or more trials done. */
export function isNewerProgress(progress: Progress, known: Progress | null): boolean {
  if (known === null) return true;
  const rank = (of: Progress) => [of.attempt, of.state === 'accepted' ? 0 : 1, of.done ?? -1];
  const [now, before] = [rank(progress), rank(known)];
  const difference = now.map((value, index) => value - (before[index] ?? 0)).find((value) => value !== 0);
  return difference !== undefined && difference > 0;
}
