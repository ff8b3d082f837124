import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { roleInTeam } from '@vtb/db/public/teams.ts';
import { findToken, revokeToken as markRevoked } from '@vtb/db/public/tokens.ts';
import { notFound } from '../frame/access.ts';
import type { Person } from '../identity/caller.ts';

/**
 * Ends a token: one's own, or one bound to a team that one owns. The second time changes nothing.
 *
 * throws  the same Refusal for a token of others as for none.
 */
export async function revokeToken(
  input: { readonly caller: Person; readonly jti: string; readonly at: Date },
  tx: Db,
): Promise<void> {
  const { caller, jti, at } = input;
  const found = await findToken(jti, tx);
  const team = found?.token.team ?? null;
  const owns = team !== null && (await roleInTeam({ account: caller.account, team }, tx)) === 'owner';
  const within = caller.team === null || caller.team === team;
  if (
    found === undefined ||
    !within ||
    !(owns || found.token.account === caller.account || caller.maintainer)
  )
    throw notFound();
  if (!(await markRevoked({ jti, at }, tx))) return;
  await writeAudit(
    {
      at,
      actor: caller.account,
      act: 'token.revoked',
      subject: jti,
      reason: null,
      detail: { account: found.token.account, team },
    },
    tx,
  );
}
