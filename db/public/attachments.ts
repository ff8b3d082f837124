import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { attachments, gradings } from './schema.ts';

export type AttachmentRow = typeof attachments.$inferSelect;

/** Notes what a report says will follow it. */
export async function declareAttachments(
  rows: readonly Omit<AttachmentRow, 'arrivedAt'>[],
  tx: Db,
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insert(attachments)
    .values([...rows])
    .onConflictDoNothing();
}

/** One declared attachment. */
export async function findAttachment(
  grading: string,
  sha256: string,
  db: Db,
): Promise<AttachmentRow | undefined> {
  const [row] = await db
    .select()
    .from(attachments)
    .where(and(eq(attachments.grading, grading), eq(attachments.sha256, sha256)));
  return row;
}

/** All that a grading's report declared, with when each arrived. */
export async function attachmentsOf(grading: string, db: Db): Promise<AttachmentRow[]> {
  return db
    .select()
    .from(attachments)
    .where(eq(attachments.grading, grading))
    .orderBy(asc(attachments.kind), asc(attachments.sha256));
}

/** Notes that an attachment's bytes are in the chunk store; false when that was noted before. */
export async function attachmentArrived(
  input: { readonly grading: string; readonly sha256: string; readonly at: Date },
  tx: Db,
): Promise<boolean> {
  const rows = await tx
    .update(attachments)
    .set({ arrivedAt: input.at })
    .where(
      and(
        eq(attachments.grading, input.grading),
        eq(attachments.sha256, input.sha256),
        isNull(attachments.arrivedAt),
      ),
    )
    .returning({ sha256: attachments.sha256 });
  return rows.length > 0;
}

/** Gradings whose accepted reports declare these bytes: as a rule one. */
export async function gradingsDeclaring(
  sha256: string,
  db: Db,
): Promise<{ readonly grading: string; readonly submission: string; readonly report: string | null }[]> {
  return db
    .select({ grading: gradings.id, submission: gradings.submission, report: gradings.report })
    .from(attachments)
    .innerJoin(gradings, eq(gradings.id, attachments.grading))
    .where(eq(attachments.sha256, sha256))
    .limit(1_000);
}
