import type { Subject } from '@vtb/db/public/subjects.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Person } from '../identity/caller.ts';
import { notFound } from './access.ts';
import type { Call } from './route.ts';

/** The caller of a route that only people may call. */
export function personOf(call: Pick<Call<unknown>, 'caller'>): Person {
  if (call.caller.kind !== 'person')
    throw new Refusal('role.forbidden', 'this is for people with an access token');
  return call.caller;
}

/** What the path's `:id` names, on routes that are about something. */
export function subjectOf(call: Pick<Call<unknown>, 'subject'>): Subject {
  if (call.subject === null) throw notFound();
  return call.subject;
}
