import { eq } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { logs } from './schema.ts';

export type LogRow = typeof logs.$inferSelect;

/** A season's log as far as it was cosigned; undefined before the first checkpoint. */
export async function cosignedLog(season: string, tx: Vault): Promise<LogRow | undefined> {
  const [row] = await tx.select().from(logs).where(eq(logs.season, season)).for('update');
  return row;
}

/** Moves a season's log on, in the transaction that makes the cosignature. */
export async function advanceLog(row: LogRow, tx: Vault): Promise<void> {
  await tx.insert(logs).values(row).onConflictDoUpdate({ target: logs.season, set: row });
}
