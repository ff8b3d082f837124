import { entriesOfTeams, findEntry } from '@vtb/db/public/entries.ts';
import { readPublicEntry } from '@vtb/db/public/read/entry.ts';
import { findRun, runsOfEntry } from '@vtb/db/public/runs.ts';
import { findSubject } from '@vtb/db/public/subjects.ts';
import { teamsOfAccount } from '@vtb/db/public/teams.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type {
  Entry,
  EntryDetail,
  EntryList,
  NewEntry,
  NewRun,
  Quota,
  Run,
} from '@vtb/protocol/wire/entries.ts';
import { createEntry } from '../actions/createEntry.ts';
import { finishRun } from '../actions/finishRun.ts';
import { startRun } from '../actions/startRun.ts';
import { notFound, rolesOf } from '../frame/access.ts';
import { personOf, subjectOf } from '../frame/person.ts';
import type { Action } from '../frame/route.ts';
import { runStanding, runView } from '../quota/runStanding.ts';
import { entryView } from './entryView.ts';

/** POST /entries */
export const postEntry: Action<NewEntry, Entry> = async (call, deps, tx) =>
  createEntry({ caller: personOf(call), wanted: call.body, at: call.at }, deps, tx);

/** GET /entries: those of the caller's teams. */
export const getEntries: Action<null, EntryList> = async (call, _deps, tx) => {
  const { account, team } = personOf(call);
  const teams = (await teamsOfAccount(account, tx))
    .map(({ id }) => id)
    .filter((id) => team === null || id === team);
  return { entries: (await entriesOfTeams(teams, tx)).map(entryView) };
};

/** GET /entries/:id: its runs too, for its team and maintainers. */
export const getEntry: Action<null, EntryDetail> = async (call, deps, tx) => {
  const subject = subjectOf(call);
  const entry = await findEntry(subject.id, tx);
  if (entry === undefined) throw notFound();
  const roles = rolesOf(call.caller, subject);
  const inside = roles.includes('member') || roles.includes('maintainer');
  const runs: Run[] = [];
  for (const run of inside ? await runsOfEntry(entry.id, tx) : []) {
    runs.push(runView({ run, entry }, await runStanding({ run, entry, at: call.at }, deps, tx)));
  }
  return {
    ...entryView(entry),
    runs,
    published: (await readPublicEntry({ id: entry.id, asOf: call.at }, tx)) ?? null,
  };
};

/** POST /entries/:id/runs */
export const postRun: Action<NewRun, Run> = async (call, deps, tx) =>
  startRun(
    { caller: personOf(call), entry: subjectOf(call).id, track: call.body.track, at: call.at },
    deps,
    tx,
  );

/** GET /runs/:id */
export const getRun: Action<null, Run> = async (call, deps, tx) => {
  const context = await findRun(subjectOf(call).id, tx);
  if (context === undefined) throw notFound();
  return runView(context, await runStanding({ ...context, at: call.at }, deps, tx));
};

/** POST /runs/:id/finish */
export const postFinish: Action<null, Run> = async (call, deps, tx) =>
  finishRun({ caller: personOf(call), run: subjectOf(call).id, at: call.at }, deps, tx);

/** GET /quota?run=… */
export const getQuota: Action<null, Quota> = async (call, deps, tx) => {
  const id = call.query.get('run');
  if (id === null) throw new Refusal('request.invalid', 'say which run: /quota?run=run_…');
  const person = personOf(call);
  const subject = await findSubject({ kind: 'run', id, account: person.account }, tx);
  const roles = subject === undefined ? [] : rolesOf(person, subject);
  const context =
    roles.includes('member') || roles.includes('maintainer') ? await findRun(id, tx) : undefined;
  if (context === undefined) throw notFound();
  return (await runStanding({ ...context, at: call.at }, deps, tx)).quota;
};
