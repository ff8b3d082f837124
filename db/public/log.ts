/**
 * Theory of operation. The public log is one Merkle tree per season. Leaves are appended one at a time under an advisory
 * lock that the transaction holds to its end, so that indexes have no gaps and commit in order. A tree head is signed
 * for a size; at most one head waits for the grader's signature.
 */
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { leafHash } from '@vtb/protocol/messages/merkle.ts';
import type { Leaf } from '@vtb/protocol/messages/receipt.ts';
import { and, asc, count, desc, eq, gte, isNotNull, lt, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { logLeaves, treeHeads } from './schema.ts';

export type LeafRow = typeof logLeaves.$inferSelect;
export type TreeHeadRow = typeof treeHeads.$inferSelect;

/** First half of the lock's key; the second is made of the season's name. */
const logLock = 72_026;

/** Takes the season's log until the transaction ends. */
export async function lockLog(season: string, tx: Db): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${logLock}, hashtext(${season}))`);
}

/** How many leaves the season's log has. */
export async function logSize(season: string, db: Db): Promise<number> {
  const [row] = await db.select({ size: count() }).from(logLeaves).where(eq(logLeaves.season, season));
  return row?.size ?? 0;
}

/** Appends a leaf; the caller's transaction keeps the log until it ends. returns its index. */
export async function appendLeaf(input: { readonly leaf: Leaf; readonly at: Date }, tx: Db): Promise<number> {
  const { season } = input.leaf;
  await lockLog(season, tx);
  const index = await logSize(season, tx);
  if ((index === 0) !== (input.leaf.kind === 'season'))
    throw new Error(`leaf ${index} of ${season} cannot be a ${input.leaf.kind}`);
  const text = canonicalJson(input.leaf);
  await tx.insert(logLeaves).values({ season, index, text, hash: leafHash(text), at: input.at });
  return index;
}

/** Leaves from an index on, at most `limit`. */
export async function leavesFrom(
  input: { readonly season: string; readonly from: number; readonly limit: number },
  db: Db,
): Promise<LeafRow[]> {
  return db
    .select()
    .from(logLeaves)
    .where(and(eq(logLeaves.season, input.season), gte(logLeaves.index, input.from)))
    .orderBy(asc(logLeaves.index))
    .limit(input.limit);
}

/** The hashes of the first `size` leaves: 64 bytes each, so a hundred thousand leaves are 6 MB. */
export async function leafHashes(season: string, size: number, db: Db): Promise<string[]> {
  const rows = await db
    .select({ hash: logLeaves.hash })
    .from(logLeaves)
    .where(and(eq(logLeaves.season, season), lt(logLeaves.index, size)))
    .orderBy(asc(logLeaves.index));
  return rows.map(({ hash }) => hash);
}

/** One leaf. */
export async function findLeaf(season: string, index: number, db: Db): Promise<LeafRow | undefined> {
  const [row] = await leavesFrom({ season, from: index, limit: 1 }, db);
  return row?.index === index ? row : undefined;
}

/** The newest leaf before an index that pins a split; undefined when none does. */
export async function newestSplitsLeaf(
  input: { readonly season: string; readonly split: string; readonly before: number },
  db: Db,
): Promise<LeafRow | undefined> {
  const [row] = await db
    .select()
    .from(logLeaves)
    .where(
      and(
        eq(logLeaves.season, input.season),
        lt(logLeaves.index, input.before),
        sql`${logLeaves.text}::jsonb->>'kind' = 'splits'`,
        sql`${logLeaves.text}::jsonb->'splits' @> ${JSON.stringify([{ split: input.split }])}::jsonb`,
      ),
    )
    .orderBy(desc(logLeaves.index))
    .limit(1);
  return row;
}

/** The newest head, whoever has signed it. */
export async function lastHead(season: string, db: Db): Promise<TreeHeadRow | undefined> {
  const [row] = await db
    .select()
    .from(treeHeads)
    .where(eq(treeHeads.season, season))
    .orderBy(desc(treeHeads.size))
    .limit(1);
  return row;
}

/** The newest head that both sides have signed. */
export async function lastCosigned(season: string, db: Db): Promise<TreeHeadRow | undefined> {
  const [row] = await db
    .select()
    .from(treeHeads)
    .where(and(eq(treeHeads.season, season), isNotNull(treeHeads.grader)))
    .orderBy(desc(treeHeads.size))
    .limit(1);
  return row;
}

/** The oldest head signed by both sides whose tree holds the leaf: a receipt made of it never changes. */
export async function cosignedOver(season: string, leaf: number, db: Db): Promise<TreeHeadRow | undefined> {
  const [row] = await db
    .select()
    .from(treeHeads)
    .where(and(eq(treeHeads.season, season), isNotNull(treeHeads.grader), sql`${treeHeads.size} > ${leaf}`))
    .orderBy(asc(treeHeads.size))
    .limit(1);
  return row;
}

/** Every head, oldest first. */
export async function allHeads(season: string, db: Db): Promise<TreeHeadRow[]> {
  return db.select().from(treeHeads).where(eq(treeHeads.season, season)).orderBy(asc(treeHeads.size));
}

/** Adds a head that the gateway has signed. */
export async function addHead(row: Omit<TreeHeadRow, 'grader'>, tx: Db): Promise<void> {
  await tx.insert(treeHeads).values({ ...row, grader: null });
}

/** Puts the grader's signature beside the gateway's; false when there is one already or no such head. */
export async function keepCosignature(
  input: { readonly season: string; readonly size: number; readonly head: string },
  tx: Db,
): Promise<boolean> {
  const rows = await tx
    .update(treeHeads)
    .set({ grader: input.head })
    .where(
      and(
        eq(treeHeads.season, input.season),
        eq(treeHeads.size, input.size),
        sql`${treeHeads.grader} IS NULL`,
      ),
    )
    .returning({ size: treeHeads.size });
  return rows.length > 0;
}

/** The head of one size. */
export async function findHead(season: string, size: number, db: Db): Promise<TreeHeadRow | undefined> {
  const [row] = await db
    .select()
    .from(treeHeads)
    .where(and(eq(treeHeads.season, season), eq(treeHeads.size, size)));
  return row;
}
