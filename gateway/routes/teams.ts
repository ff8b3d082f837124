import type { Db } from '@vtb/db/public/connect.ts';
import { allTeams, findTeam, membersOf, type TeamRow, teamsOfAccount } from '@vtb/db/public/teams.ts';
import { findToken, tokensOfTeam } from '@vtb/db/public/tokens.ts';
import type { TokenList } from '@vtb/protocol/wire/identity.ts';
import type { AddedMember, NewMember, NewTeam, Team, TeamList } from '@vtb/protocol/wire/teams.ts';
import { addMember } from '../actions/addMember.ts';
import { createTeam } from '../actions/createTeam.ts';
import { revokeToken } from '../actions/revokeToken.ts';
import { notFound } from '../frame/access.ts';
import { personOf, subjectOf } from '../frame/person.ts';
import type { Action } from '../frame/route.ts';
import { tokenSummary } from '../identity/tokenSummary.ts';

/** POST /teams */
export const postTeam: Action<NewTeam, Team> = async (call, deps, tx) =>
  createTeam({ caller: personOf(call), wanted: call.body, at: call.at }, deps, tx);

/** GET /teams: those the caller belongs to; all of them for maintainers. */
export const getTeams: Action<null, TeamList> = async (call, _deps, tx) => {
  const { account, maintainer, team } = personOf(call);
  const rows = maintainer ? await allTeams(tx) : await teamsOfAccount(account, tx);
  return {
    teams: await views(
      rows.filter(({ id }) => team === null || id === team),
      tx,
    ),
  };
};

/** GET /teams/:id */
export const getTeam: Action<null, Team> = async (call, _deps, tx) => {
  const team = await findTeam(subjectOf(call).id, tx);
  const [view] = team === undefined ? [] : await views([team], tx);
  if (view === undefined) throw notFound();
  return view;
};

/** POST /teams/:id/members */
export const postMember: Action<NewMember, AddedMember> = async (call, deps, tx) =>
  addMember({ caller: personOf(call), team: subjectOf(call).id, wanted: call.body, at: call.at }, deps, tx);

/** GET /teams/:id/tokens */
export const getTeamTokens: Action<null, TokenList> = async (call, _deps, tx) => ({
  tokens: (await tokensOfTeam(subjectOf(call).id, tx)).map(tokenSummary),
});

/** DELETE /teams/:id/tokens/:jti */
export const deleteTeamToken: Action<null, null> = async (call, _deps, tx) => {
  const jti = call.params.jti ?? '';
  const found = await findToken(jti, tx);
  if (found?.token.team !== subjectOf(call).team) throw notFound();
  await revokeToken({ caller: personOf(call), jti, at: call.at }, tx);
  return null;
};

async function views(rows: readonly TeamRow[], tx: Db): Promise<Team[]> {
  const people = Map.groupBy(
    await membersOf(
      rows.map(({ id }) => id),
      tx,
    ),
    ({ team }) => team,
  );
  return rows.map(({ id, name, createdAt }) => ({
    id,
    name,
    createdAt: createdAt.toISOString(),
    members: (people.get(id) ?? []).map(({ account, name, role }) => ({ account, name, role })),
  }));
}
