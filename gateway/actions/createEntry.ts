import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { addEntry } from '@vtb/db/public/entries.ts';
import { roleInTeam } from '@vtb/db/public/teams.ts';
import { newId } from '@vtb/protocol/ids.ts';
import type { Entry, NewEntry } from '@vtb/protocol/wire/entries.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';
import type { Person } from '../identity/caller.ts';
import { seasonOf } from '../quota/trackOf.ts';
import { entryView } from '../routes/entryView.ts';

/** Opens a row of a season's board for a team of the caller's. */
export async function createEntry(
  input: { readonly caller: Person; readonly wanted: NewEntry; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<Entry> {
  const { caller, wanted, at } = input;
  const speaksFor = caller.team === null || caller.team === wanted.team;
  if (!speaksFor || (await roleInTeam({ account: caller.account, team: wanted.team }, tx)) === null)
    throw notFound();
  seasonOf(wanted.season, deps);
  const entry = { id: newId('entry', deps.random(20)), ...wanted, createdAt: at };
  await addEntry(entry, tx);
  await writeAudit(
    {
      at,
      actor: caller.account,
      act: 'entry.created',
      subject: entry.id,
      reason: null,
      detail: { ...wanted },
    },
    tx,
  );
  return entryView(entry);
}
