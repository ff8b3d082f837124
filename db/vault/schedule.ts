import { sql } from 'drizzle-orm';
import type { Vault } from './connect.ts';

/** Lets one lease be decided at a time, so that two runners never both see an order as waiting. */
export async function lockSchedule(tx: Vault): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(8214005)`);
}
