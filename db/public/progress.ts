import { eq } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { gradings } from './schema.ts';

/** Keeps the newest progress of a grading whose submission the caller's transaction holds. */
export async function keepProgress(
  input: { readonly grading: string; readonly progress: unknown },
  tx: Db,
): Promise<void> {
  await tx.update(gradings).set({ progress: input.progress }).where(eq(gradings.id, input.grading));
}
