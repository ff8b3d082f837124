import { desc, eq, sql } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { feedMessages } from './schema.ts';

export type FeedRow = typeof feedMessages.$inferSelect;

/** What `previous` of message 1 is. */
export const feedStart = '0'.repeat(64);

/** The newest message taken in: number 0 and 64 zeros before the first. */
export async function feedCursor(db: Vault): Promise<{ readonly number: number; readonly digest: string }> {
  const [row] = await db
    .select({ number: feedMessages.number, digest: feedMessages.digest })
    .from(feedMessages)
    .orderBy(desc(feedMessages.number))
    .limit(1);
  return row ?? { number: 0, digest: feedStart };
}

/** Holds the feed for the transaction: one message is taken in at a time, by whichever process. */
export async function lockFeed(tx: Vault): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(8214004)`);
}

/** Notes a message as taken in; its number's uniqueness is the last guard against taking it in twice. */
export async function noteFeedMessage(row: FeedRow, tx: Vault): Promise<void> {
  await tx.insert(feedMessages).values(row);
}

/** The digest of the message with a number that was taken in. */
export async function feedDigest(number: number, db: Vault): Promise<string | undefined> {
  const [row] = await db
    .select({ digest: feedMessages.digest })
    .from(feedMessages)
    .where(eq(feedMessages.number, number));
  return row?.digest;
}
