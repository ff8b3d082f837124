import type { TokenRow } from '@vtb/db/public/tokens.ts';
import type { tokenSummarySchema } from '@vtb/protocol/wire/identity.ts';
import type { z } from 'zod';
import { knownScopes } from './accessToken.ts';

/** A token as its holder and its team's owner may see it: everything but its text. */
export function tokenSummary(row: TokenRow): z.infer<typeof tokenSummarySchema> {
  return {
    jti: row.jti,
    label: row.label,
    team: row.team,
    scopes: knownScopes(row.scopes),
    issuedAt: row.issuedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}
