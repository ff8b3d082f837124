import { desc } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { alarms } from './schema.ts';

/** Keeps what a person has to look at. Codes and digests only, never a task's text. */
export async function raiseAlarm(
  alarm: { readonly at: Date; readonly code: string; readonly subject: string; readonly detail: string },
  tx: Vault,
): Promise<void> {
  await tx.insert(alarms).values(alarm);
}

/** The newest alarms first. */
export async function latestAlarms(max: number, db: Vault) {
  return db.select().from(alarms).orderBy(desc(alarms.id)).limit(max);
}
