import { and, eq, isNull } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { submissions } from './schema.ts';

/** Marks a submission as withdrawn beside its state; false when it was marked before. */
export async function markWithdrawn(
  input: { readonly submission: string; readonly at: Date },
  tx: Db,
): Promise<boolean> {
  const rows = await tx
    .update(submissions)
    .set({ withdrawnAt: input.at })
    .where(and(eq(submissions.id, input.submission), isNull(submissions.withdrawnAt)))
    .returning({ id: submissions.id });
  return rows.length > 0;
}
