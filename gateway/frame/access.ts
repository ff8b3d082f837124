import type { Db } from '@vtb/db/public/connect.ts';
import { findSubject, type Subject } from '@vtb/db/public/subjects.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { Role, Route } from './route.ts';

/** What a caller is told about everything that isn't there or isn't theirs to see: always the same. */
export const notFound = () => new Refusal('notFound', 'there is nothing here, or you may not see it');

/**
 * Lets a caller through to a route or refuses: the one place where the table's roles and scopes are enforced.
 *
 * returns  what the path's `:id` names, or null for a route about nothing.
 * throws   Refusal token.missing, token.invalid, token.scope, role.forbidden, or notFound for what may not be seen.
 */
export async function admit(
  input: {
    readonly route: Route;
    readonly caller: Caller;
    readonly id: string | undefined;
    readonly at: Date;
  },
  db: Db,
): Promise<Subject | null> {
  const { route, caller } = input;
  if (caller.kind === 'visitor' && !route.roles.includes('visitor'))
    throw new Refusal('token.missing', 'send a token: Authorization: Bearer …');
  if (caller.kind === 'person' && caller.ended && !route.outlives)
    throw new Refusal('token.invalid', 'the token has expired or was revoked; get a new one');
  if (caller.kind === 'person' && route.scope !== null && !caller.scopes.includes(route.scope)) {
    throw new Refusal(
      'token.scope',
      `this needs a token with the scope "${route.scope}"; this one has ${caller.scopes.join(', ')}`,
    );
  }
  if (route.about === undefined) {
    if (!rolesOf(caller, null).some((role) => route.roles.includes(role))) throw forbidden(route);
    return null;
  }
  const account = caller.kind === 'person' ? caller.account : null;
  const subject = await findSubject({ kind: route.about, id: input.id ?? '', account }, db);
  if (subject === undefined || !isVisible(subject, caller, route)) throw notFound();
  if (caller.kind === 'person' && caller.ended && !mayStillUpload(subject, caller.jti, input.at)) {
    throw new Refusal('token.invalid', 'the token has ended, and with it what it committed');
  }
  if (!rolesOf(caller, subject).some((role) => route.roles.includes(role))) throw forbidden(route);
  return subject;
}

/** The roles a caller has towards a subject; towards nothing, every person counts as a member. */
export function rolesOf(caller: Caller, subject: Subject | null): Role[] {
  switch (caller.kind) {
    case 'visitor':
      return ['visitor'];
    case 'grader':
      return ['grader'];
    case 'person': {
      const roles: Role[] = ['visitor'];
      if (caller.maintainer) roles.push('maintainer');
      const speaksFor = subject === null || caller.team === null || caller.team === subject.team;
      if (subject === null || (speaksFor && subject.role !== null)) roles.push('member');
      if (speaksFor && subject?.role === 'owner') roles.push('owner');
      return roles;
    }
  }
}

function isVisible(subject: Subject, caller: Caller, route: Route): boolean {
  if (route.roles.includes('visitor') && subject.isPublic) return true;
  return rolesOf(caller, subject).some((role) => role === 'member' || role === 'maintainer');
}

function mayStillUpload(subject: Subject, jti: string, at: Date): boolean {
  return subject.upload !== null && subject.upload.token === jti && at < subject.upload.until;
}

function forbidden(route: Route): Refusal {
  return new Refusal('role.forbidden', `this is for: ${route.roles.join(', ')}`);
}
