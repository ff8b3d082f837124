import { and, eq, lt } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { idempotency } from './schema.ts';

/** What a first request with this key was answered, or that this is the first. */
export type Claim =
  | { readonly kind: 'first' }
  | { readonly kind: 'replay'; readonly status: number; readonly reply: unknown }
  | { readonly kind: 'otherRequest' };

/**
 * Claims a key for a request, in the transaction that also does what the request asks: a second request with the same
 * key waits here until the first has committed, then finds its answer; when the first rolled back it becomes the first.
 */
export async function claimKey(
  input: { readonly actor: string; readonly key: string; readonly request: string; readonly at: Date },
  tx: Db,
): Promise<Claim> {
  const claimed = await tx
    .insert(idempotency)
    .values(input)
    .onConflictDoNothing()
    .returning({ key: idempotency.key });
  if (claimed.length > 0) return { kind: 'first' };
  const [row] = await tx.select().from(idempotency).where(sameKey(input));
  if (row === undefined || row.status === null || row.request !== input.request)
    return { kind: 'otherRequest' };
  return { kind: 'replay', status: row.status, reply: row.reply };
}

/** Keeps the answer beside its key, in the same transaction as the act. */
export async function keepReply(
  input: { readonly actor: string; readonly key: string; readonly status: number; readonly reply: unknown },
  tx: Db,
): Promise<void> {
  await tx.update(idempotency).set({ status: input.status, reply: input.reply }).where(sameKey(input));
}

/** Forgets keys older than an instant; after that a key may be used again. */
export async function forgetKeys(before: Date, db: Db): Promise<void> {
  await db.delete(idempotency).where(lt(idempotency.at, before));
}

function sameKey(input: { readonly actor: string; readonly key: string }) {
  return and(eq(idempotency.actor, input.actor), eq(idempotency.key, input.key));
}
