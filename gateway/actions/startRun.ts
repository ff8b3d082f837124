import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { findEntry } from '@vtb/db/public/entries.ts';
import { addRun } from '@vtb/db/public/runs.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { newId } from '@vtb/protocol/ids.ts';
import type { Run } from '@vtb/protocol/wire/entries.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';
import type { Person } from '../identity/caller.ts';
import { refuseClosedSeason } from '../quota/openSeason.ts';
import { runStanding, runView } from '../quota/runStanding.ts';
import { seasonOf, trackOf } from '../quota/trackOf.ts';

/** Starts an entry's clock on one track. throws Refusal run.exists, season.closed or track.unknown. */
export async function startRun(
  input: { readonly caller: Person; readonly entry: string; readonly track: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<Run> {
  const { caller, at } = input;
  const entry = await findEntry(input.entry, tx);
  if (entry === undefined) throw notFound();
  const loaded = seasonOf(entry.season, deps);
  const track = trackOf(loaded, input.track);
  refuseClosedSeason(loaded.season, at);
  const run = {
    id: newId('run', deps.random(20)),
    entry: entry.id,
    track: track.id,
    startedAt: at,
    endedAt: null,
    endReason: null,
  };
  if (!(await addRun(run, tx)))
    throw new Refusal(
      'run.exists',
      `this entry has a run on ${track.id} already: one run per entry and track`,
    );
  await writeAudit(
    {
      at,
      actor: caller.account,
      act: 'run.started',
      subject: run.id,
      reason: null,
      detail: { entry: entry.id, track: track.id },
    },
    tx,
  );
  return runView({ run, entry }, await runStanding({ run, entry, at }, deps, tx));
}
