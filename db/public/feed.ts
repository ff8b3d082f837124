/**
 * Theory of operation. The feed is one numbered chain: each message names its number and the digest of the one before,
 * so appends go one at a time under an advisory lock that the transaction holds to its end. A number is given only
 * inside that lock, so numbers have no gaps and commit in order: a reader that has seen N has seen all before N.
 * Locks are always taken in one order: a submission's row, a season's log, the feed.
 */
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { asc, desc, gt, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { feed } from './schema.ts';

export type FeedRow = typeof feed.$inferSelect;

/** Told whenever the feed has grown. */
export const feedChannel = 'vtb_feed';

/** Any fixed number that no other lock of this database has. */
const feedLock = 7_202_611;

const noMessage = '0'.repeat(64);

/** The place a new message takes: its number and the digest of the message before it. */
export interface FeedPlaceRow {
  readonly number: number;
  readonly previous: string;
}

/**
 * Appends one message in the caller's transaction.
 *
 * sign  makes the JWS for the place it gets; called once, inside the lock.
 */
export async function appendFeed(
  input: {
    readonly kind: FeedRow['kind'];
    readonly order: string | null;
    readonly at: Date;
    readonly sign: (place: FeedPlaceRow) => Promise<string>;
  },
  tx: Db,
): Promise<FeedRow> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${feedLock})`);
  const [last] = await tx.select().from(feed).orderBy(desc(feed.number)).limit(1);
  const place = { number: (last?.number ?? 0) + 1, previous: last?.digest ?? noMessage };
  const jws = await input.sign(place);
  const row: FeedRow = {
    number: place.number,
    kind: input.kind,
    jws,
    digest: sha256Hex(jws),
    order: input.order,
    at: input.at,
  };
  await tx.insert(feed).values(row);
  await tx.execute(sql`SELECT pg_notify(${feedChannel}, ${String(place.number)})`);
  return row;
}

/** Messages after a number, oldest first, at most `limit`. */
export async function feedAfter(
  input: { readonly after: number; readonly limit: number },
  db: Db,
): Promise<FeedRow[]> {
  return db
    .select()
    .from(feed)
    .where(gt(feed.number, input.after))
    .orderBy(asc(feed.number))
    .limit(input.limit);
}
