import { and, desc, eq, lt } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { audit } from './schema.ts';

export type AuditRow = typeof audit.$inferSelect;

/** A page of the audit log, newest first; `before` is the id that the last page ended with. */
export async function auditPage(
  input: { readonly before: number | null; readonly subject: string | null; readonly limit: number },
  db: Db,
): Promise<AuditRow[]> {
  return db
    .select()
    .from(audit)
    .where(
      and(
        input.before === null ? undefined : lt(audit.id, input.before),
        input.subject === null ? undefined : eq(audit.subject, input.subject),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(input.limit);
}
