import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { addMember, addTeam } from '@vtb/db/public/teams.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { newId } from '@vtb/protocol/ids.ts';
import type { NewTeam, Team } from '@vtb/protocol/wire/teams.ts';
import type { Deps } from '../deps.ts';
import type { Person } from '../identity/caller.ts';

/** Creates a team owned by whoever creates it. throws Refusal('name.taken'). */
export async function createTeam(
  input: { readonly caller: Person; readonly wanted: NewTeam; readonly at: Date },
  deps: Pick<Deps, 'random'>,
  tx: Db,
): Promise<Team> {
  const { caller, wanted, at } = input;
  const team = { id: newId('team', deps.random(20)), name: wanted.name, createdAt: at };
  if (!(await addTeam(team, tx)))
    throw new Refusal('name.taken', `there is a team named "${wanted.name}" already; take another name`);
  await addMember({ team: team.id, account: caller.account, role: 'owner', since: at }, tx);
  await writeAudit(
    {
      at,
      actor: caller.account,
      act: 'team.created',
      subject: team.id,
      reason: null,
      detail: { name: team.name },
    },
    tx,
  );
  return {
    id: team.id,
    name: team.name,
    createdAt: at.toISOString(),
    members: [{ account: caller.account, name: caller.name, role: 'owner' }],
  };
}
