import type { Notice } from '@vtb/protocol/messages/notice.ts';
import { count, eq } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { notices, runnersSeen } from './schema.ts';

/** What a notice's id already stands for: nothing, this very text, or another one. */
export type NoticeClaim = 'first' | 'again' | 'other';

/** Claims a notice's id in the transaction that does what it says; a rival waits here and then finds it taken. */
export async function claimNotice(
  row: { readonly id: string; readonly kind: string; readonly digest: string; readonly at: Date },
  tx: Db,
): Promise<NoticeClaim> {
  const added = await tx.insert(notices).values(row).onConflictDoNothing().returning({ id: notices.id });
  if (added.length > 0) return 'first';
  const [known] = await tx.select().from(notices).where(eq(notices.id, row.id));
  return known?.digest === row.digest ? 'again' : 'other';
}

/** Replaces what is known of the enclave's runners. */
export async function keepRunners(
  runners: Extract<Notice, { kind: 'runners' }>['runners'],
  at: Date,
  tx: Db,
): Promise<void> {
  await tx.delete(runnersSeen);
  if (runners.length === 0) return;
  await tx
    .insert(runnersSeen)
    .values(runners.map(({ runner, capabilities }) => ({ runner, capabilities, at })));
}

/** How many runners the enclave last said it has. */
export async function runnerCount(db: Db): Promise<number> {
  const [row] = await db.select({ runners: count() }).from(runnersSeen);
  return row?.runners ?? 0;
}
