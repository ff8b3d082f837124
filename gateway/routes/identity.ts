import { teamsOfAccount } from '@vtb/db/public/teams.ts';
import { findToken, tokensOfAccount } from '@vtb/db/public/tokens.ts';
import type { IssuedToken, Me, NewToken, TokenList } from '@vtb/protocol/wire/identity.ts';
import { issueToken } from '../actions/issueToken.ts';
import { revokeToken } from '../actions/revokeToken.ts';
import { notFound } from '../frame/access.ts';
import { personOf } from '../frame/person.ts';
import type { Action } from '../frame/route.ts';
import { tokenSummary } from '../identity/tokenSummary.ts';

/** POST /tokens */
export const postToken: Action<NewToken, IssuedToken> = async (call, deps, tx) =>
  issueToken({ caller: personOf(call), wanted: call.body, at: call.at }, deps, tx);

/** GET /tokens: the caller's own. */
export const getTokens: Action<null, TokenList> = async (call, _deps, tx) => {
  const { account, team } = personOf(call);
  const rows = await tokensOfAccount(account, tx);
  return { tokens: rows.filter((row) => team === null || row.team === team).map(tokenSummary) };
};

/** DELETE /tokens/:jti */
export const deleteToken: Action<null, null> = async (call, _deps, tx) => {
  await revokeToken({ caller: personOf(call), jti: call.params.jti ?? '', at: call.at }, tx);
  return null;
};

/** GET /me */
export const getMe: Action<null, Me> = async (call, _deps, tx) => {
  const { account: id, name, maintainer, jti, team } = personOf(call);
  const found = await findToken(jti, tx);
  if (found === undefined) throw notFound();
  const teams = await teamsOfAccount(id, tx);
  return {
    account: { id, name },
    maintainer,
    token: tokenSummary(found.token),
    teams: teams
      .filter((mine) => team === null || mine.id === team)
      .map(({ id, name, role }) => ({ id, name, role })),
  };
};
