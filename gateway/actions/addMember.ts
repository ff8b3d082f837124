import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { addAccount, addMember as insertMember } from '@vtb/db/public/teams.ts';
import { newId } from '@vtb/protocol/ids.ts';
import type { Scope } from '@vtb/protocol/wire/identity.ts';
import type { AddedMember, NewMember } from '@vtb/protocol/wire/teams.ts';
import type { Deps } from '../deps.ts';
import type { Person } from '../identity/caller.ts';
import { grantToken } from './issueToken.ts';

/** A first token lasts this long; its holder issues the next ones. */
const firstTokenDays = 30;

const scopesOf: Readonly<Record<'owner' | 'member', readonly Scope[]>> = {
  owner: ['submit', 'read', 'manage'],
  member: ['submit', 'read'],
};

/** Brings a new person into a team, with a first token bound to it. */
export async function addMember(
  input: { readonly caller: Person; readonly team: string; readonly wanted: NewMember; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<AddedMember> {
  const { caller, team, wanted, at } = input;
  const { name, role } = wanted;
  const account = newId('account', deps.random(20));
  await addAccount({ id: account, name, maintainer: false, createdAt: at }, tx);
  await insertMember({ team, account, role, since: at }, tx);
  await writeAudit(
    {
      at,
      actor: caller.account,
      act: 'member.added',
      subject: team,
      reason: null,
      detail: { account, role },
    },
    tx,
  );
  const grant = {
    account,
    actor: caller.account,
    team,
    scopes: scopesOf[role],
    label: 'first',
    days: firstTokenDays,
    at,
  };
  return { account, name, role, token: await grantToken(grant, deps, tx) };
}
