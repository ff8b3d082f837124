import { asc, eq, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { accounts } from './schema.ts';

/**
 * The account of this instance's owner: its oldest maintainer. Starts that race for the first one wait for each other
 * here, until the transaction ends.
 */
export async function ownerAccount(tx: Db): Promise<string | undefined> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(7202611)`);
  const [row] = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.maintainer, true))
    .orderBy(asc(accounts.createdAt), asc(accounts.id))
    .limit(1);
  return row?.id;
}
