import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { entrySchema, runSchema } from '@vtb/protocol/wire/entries.ts';
import { issuedTokenSchema } from '@vtb/protocol/wire/identity.ts';
import { type Submission, submissionSchema } from '@vtb/protocol/wire/submissions.ts';
import { teamSchema } from '@vtb/protocol/wire/teams.ts';
import type { z } from 'zod';
import { done } from './documents.ts';
import { root, type Service } from './service.ts';

/** The systems that the pocket season brings along. */
export type SystemName = 'initial' | 'tuned';

/** A team with a token, and its service. */
export interface Team {
  readonly id: string;
  readonly token: string;
  readonly service: Service;
}

/** Where one of the systems lies. */
export function systemDir(name: SystemName): string {
  return join(root, 'seasons/pocket/systems', name);
}

/** A new team of the owner's, through the public door. */
export async function newTeam(name: string, service: Service): Promise<Team> {
  const { url, ownerToken } = service;
  const { id } = await post({ url, token: ownerToken, path: '/teams', body: { name } }, teamSchema);
  const body = { team: id, scopes: ['submit', 'read'], label: name, days: 1 };
  const { token } = await post({ url, token: ownerToken, path: '/tokens', body }, issuedTokenSchema);
  return { id, token, service };
}

/** What was submitted. */
export interface Submitted {
  readonly entry: string;
  readonly run: string;
  readonly submission: string;
}

/** A new entry with a run, and a system submitted to it by `vtb submit`, until it is sealed. */
export async function submitSystem(
  input: {
    readonly agent: string;
    readonly system: SystemName;
    readonly purpose: 'validation' | 'final';
  },
  team: Team,
): Promise<Submitted> {
  const { token, service } = team;
  const { url } = service;
  const row = { team: team.id, season: 'pocket', agent: input.agent, agentHarness: null };
  const entry = await post({ url, token, path: '/entries', body: row }, entrySchema);
  const track = { track: 'wordmath' };
  const run = await post({ url, token, path: `/entries/${entry.id}/runs`, body: track }, runSchema);
  const args = ['submit', systemDir(input.system), '--run', run.id, '--purpose', input.purpose, '--json'];
  const { id } = done(await service.vtb(args, token), submissionSchema);
  return { entry: entry.id, run: run.id, submission: id };
}

/** A submission as its team sees it now. */
export async function submissionOf(submission: string, team: Team): Promise<Submission> {
  const path = `${team.service.url}/api/v1/submissions/${submission}`;
  const response = await fetch(path, { headers: { authorization: `Bearer ${team.token}` } });
  return submissionSchema.parse(await response.json());
}

async function post<T>(
  call: { readonly url: string; readonly token: string; readonly path: string; readonly body: unknown },
  schema: z.ZodType<T>,
): Promise<T> {
  const response = await fetch(`${call.url}/api/v1${call.path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${call.token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(call.body),
  });
  if (!response.ok) throw new Error(`POST ${call.path}: ${response.status} ${await response.text()}`);
  return schema.parse(await response.json());
}
