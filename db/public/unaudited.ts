import { sql } from 'drizzle-orm';
import type { Db } from './connect.ts';

/** Something that happened, and the audit line that it should have. */
export interface Unaudited {
  readonly subject: string;
  readonly act: string;
}

/**
 * What lacks the audit line that was written in its transaction: orders, ends and publications of gradings, and the last
 * step of every submission. Empty unless lines were taken away.
 */
export async function unaudited(limit: number, db: Db): Promise<Unaudited[]> {
  const rows = await db.execute<{ subject: string; act: string }>(sql`
    SELECT due.subject, due.act FROM (
      SELECT id AS subject, 'grading.ordered' AS act FROM gradings
      UNION ALL SELECT id, 'grading.' || state FROM gradings WHERE state IN ('reported', 'failed', 'cancelled')
      UNION ALL SELECT id, 'grading.published' FROM gradings WHERE published_at IS NOT NULL
    ) due
    WHERE NOT EXISTS (SELECT 1 FROM audit WHERE audit.subject = due.subject AND audit.act = due.act)
    UNION ALL
    SELECT s.id, 'submission → ' || s.state FROM submissions s
    WHERE s.state <> 'committed' AND s.state IS DISTINCT FROM (
      SELECT audit.detail ->> 'to' FROM audit
      WHERE audit.subject = s.id AND audit.detail ? 'to' ORDER BY audit.id DESC LIMIT 1
    )
    LIMIT ${limit}`);
  return [...rows].map(({ subject, act }) => ({ subject, act }));
}
