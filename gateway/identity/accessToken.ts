import type { TokenRow } from '@vtb/db/public/tokens.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import { scopeSchema } from '@vtb/protocol/wire/identity.ts';
import { z } from 'zod';
import type { Deps } from '../deps.ts';

/** What access tokens are issued by and for. */
export const tokenIssuer = 'vtb';
export const tokenAudience = 'vtb-api';

const seconds = z.int().min(0).max(1e11);

/** An access token's claims (RFC 9068). */
export const accessClaimsSchema = z.strictObject({
  iss: z.literal(tokenIssuer),
  aud: z.literal(tokenAudience),
  sub: z.string().max(64),
  jti: z.string().max(64),
  iat: seconds,
  exp: seconds,
  scope: z.string().max(64),
  team: z.string().max(64).optional(),
});

/** Scopes of a token row or claim that we know; others are dropped. */
export function knownScopes(words: readonly string[]) {
  return words.flatMap((word) => scopeSchema.safeParse(word).data ?? []);
}

/** The token's text. The same row and key give the same text. */
export async function sealAccessToken(row: TokenRow, deps: Pick<Deps, 'keys'>): Promise<string> {
  const claims = {
    iss: tokenIssuer,
    aud: tokenAudience,
    sub: row.account,
    jti: row.jti,
    iat: Math.floor(row.issuedAt.getTime() / 1000),
    exp: Math.floor(row.expiresAt.getTime() / 1000),
    scope: row.scopes.join(' '),
    ...(row.team === null ? {} : { team: row.team }),
  };
  return seal('accessToken', claims, deps.keys.token);
}
