import { eq } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { deletions } from './schema.ts';

export type DeletionRow = typeof deletions.$inferSelect;

/** A submission's deletion, if its team had its bytes deleted. */
export async function findDeletion(submission: string, db: Db): Promise<DeletionRow | undefined> {
  const [row] = await db.select().from(deletions).where(eq(deletions.submission, submission));
  return row;
}

/** Writes down that the bytes go; their statement follows when they are gone. */
export async function addDeletion(row: Omit<DeletionRow, 'statement'>, tx: Db): Promise<void> {
  await tx.insert(deletions).values(row);
}

/** Says how much went; before the transaction ends that added it. */
export async function countDeletion(
  input: Pick<DeletionRow, 'submission' | 'chunksDeleted' | 'bytesDeleted' | 'chunksKept'>,
  tx: Db,
): Promise<void> {
  const { submission, ...counts } = input;
  await tx.update(deletions).set(counts).where(eq(deletions.submission, submission));
}

/** Keeps the signed statement. */
export async function saveStatement(
  input: { readonly submission: string; readonly statement: string },
  db: Db,
): Promise<void> {
  await db
    .update(deletions)
    .set({ statement: input.statement })
    .where(eq(deletions.submission, input.submission));
}
