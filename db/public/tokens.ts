import { and, desc, eq, isNull } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { accounts, tokens } from './schema.ts';

export type TokenRow = typeof tokens.$inferSelect;

/** Records an issued token. */
export async function addToken(token: TokenRow, tx: Db): Promise<void> {
  await tx.insert(tokens).values(token);
}

/** A token with the account it speaks for, by jti. */
export async function findToken(jti: string, db: Db) {
  const [row] = await db
    .select({ token: tokens, account: accounts })
    .from(tokens)
    .innerJoin(accounts, eq(accounts.id, tokens.account))
    .where(eq(tokens.jti, jti));
  return row;
}

/** An account's tokens, newest first. */
export async function tokensOfAccount(account: string, db: Db): Promise<TokenRow[]> {
  return db
    .select()
    .from(tokens)
    .where(eq(tokens.account, account))
    .orderBy(desc(tokens.issuedAt))
    .limit(1000);
}

/** A team's tokens, newest first. */
export async function tokensOfTeam(team: string, db: Db): Promise<TokenRow[]> {
  return db.select().from(tokens).where(eq(tokens.team, team)).orderBy(desc(tokens.issuedAt)).limit(1000);
}

/** Revokes a token; false when it was revoked before. */
export async function revokeToken(
  input: { readonly jti: string; readonly at: Date },
  tx: Db,
): Promise<boolean> {
  const rows = await tx
    .update(tokens)
    .set({ revokedAt: input.at })
    .where(and(eq(tokens.jti, input.jti), isNull(tokens.revokedAt)))
    .returning({ jti: tokens.jti });
  return rows.length > 0;
}
