import { and, asc, inArray, lte } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { submissions } from './schema.ts';

/** Submissions that still wait for bytes after their grace, the longest overdue first. */
export async function overdueUploads(
  input: { readonly now: Date; readonly limit: number },
  db: Db,
): Promise<string[]> {
  const rows = await db
    .select({ id: submissions.id })
    .from(submissions)
    .where(
      and(inArray(submissions.state, ['committed', 'uploading']), lte(submissions.uploadUntil, input.now)),
    )
    .orderBy(asc(submissions.uploadUntil), asc(submissions.id))
    .limit(input.limit);
  return rows.map(({ id }) => id);
}
