import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { roleInTeam } from '@vtb/db/public/teams.ts';
import { addToken, type TokenRow } from '@vtb/db/public/tokens.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { IssuedToken, NewToken, Scope } from '@vtb/protocol/wire/identity.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';
import { sealAccessToken } from '../identity/accessToken.ts';
import type { Person } from '../identity/caller.ts';
import { tokenSummary } from '../identity/tokenSummary.ts';

/** Issues a token to the caller: never for more than the caller's own token is good for. */
export async function issueToken(
  input: { readonly caller: Person; readonly wanted: NewToken; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<IssuedToken> {
  const { caller, wanted, at } = input;
  const beyond = wanted.scopes.filter((scope) => !caller.scopes.includes(scope));
  if (beyond.length > 0)
    throw new Refusal(
      'token.scope',
      `your token has ${caller.scopes.join(', ')} and can't give ${beyond.join(', ')}`,
    );
  if (caller.team !== null && wanted.team !== caller.team)
    throw new Refusal('role.forbidden', 'a token bound to a team gives tokens for that team alone');
  if (wanted.team !== null && (await roleInTeam({ account: caller.account, team: wanted.team }, tx)) === null)
    throw notFound();
  return grantToken({ ...wanted, account: caller.account, actor: caller.account, at }, deps, tx);
}

/** A token to be made, after everything about it was allowed. */
export interface TokenGrant {
  readonly account: string;
  readonly actor: string;
  readonly team: string | null;
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly days: number;
  readonly at: Date;
}

/** Records a token with its audit line and signs it. */
export async function grantToken(grant: TokenGrant, deps: Deps, tx: Db): Promise<IssuedToken> {
  // Claims count in seconds: the row says the same instants as the token.
  const issuedAt = new Date(Math.floor(grant.at.getTime() / 1000) * 1000);
  const row: TokenRow = {
    jti: Buffer.from(deps.random(16)).toString('base64url'),
    account: grant.account,
    team: grant.team,
    scopes: [...new Set(grant.scopes)],
    label: grant.label,
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + grant.days * 86_400_000),
    revokedAt: null,
  };
  await addToken(row, tx);
  const { actor, at, team, label } = grant;
  await writeAudit(
    {
      at,
      actor,
      act: 'token.issued',
      subject: row.jti,
      reason: null,
      detail: { account: row.account, team, label, scopes: row.scopes },
    },
    tx,
  );
  return { ...tokenSummary(row), token: await sealAccessToken(row, deps) };
}
