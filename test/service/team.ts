import { join } from 'node:path';
import { type Client, openClient } from '@vtb/cli/client.ts';
import { type ReadSystem, readSystem } from '@vtb/cli/system/readSystem.ts';
import { uploadChunks } from '@vtb/cli/system/uploadChunks.ts';
import { entrySchema, runSchema } from '@vtb/protocol/wire/entries.ts';
import { issuedTokenSchema } from '@vtb/protocol/wire/identity.ts';
import {
  committedSchema,
  missingSchema,
  type Submission,
  submissionSchema,
} from '@vtb/protocol/wire/submissions.ts';
import { teamSchema } from '@vtb/protocol/wire/teams.ts';
import { root, type Service } from './service.ts';

/** The systems that the pocket season brings along. */
export type SystemName = 'initial' | 'tuned';

/** A team with a token, and the service as its command line sees it. */
export interface Team {
  readonly id: string;
  readonly token: string;
  readonly client: Client;
}

/** Where one of the systems lies. */
export function systemDir(name: SystemName): string {
  return join(root, 'seasons/pocket/systems', name);
}

/** A new team of the owner's, through the public door. */
export async function newTeam(name: string, service: Service): Promise<Team> {
  const owner = openClient({ url: service.url, token: service.ownerToken });
  const { id } = await owner.post('/teams', { name }, teamSchema);
  const wanted = { team: id, scopes: ['submit', 'read'], label: name, days: 1 };
  const { token } = await owner.post('/tokens', wanted, issuedTokenSchema);
  return { id, token, client: openClient({ url: service.url, token }) };
}

/** What was submitted. */
export interface Submitted {
  readonly entry: string;
  readonly run: string;
  readonly submission: string;
}

/**
 * A new entry with a run, and a system submitted to it, until it is sealed. Uses the command line's own modules, so that
 * an interrupted gateway is asked again as a user's `vtb` would.
 */
export async function submitSystem(
  input: {
    readonly agent: string;
    readonly system: SystemName;
    readonly purpose: 'validation' | 'final';
  },
  team: Team,
): Promise<Submitted> {
  const { client } = team;
  const body = { team: team.id, season: 'pocket', agent: input.agent, agentHarness: null };
  const entry = await client.post('/entries', body, entrySchema);
  const run = await client.post(`/entries/${entry.id}/runs`, { track: 'wordmath' }, runSchema);
  const system = await readSmall(input.system);
  const committed = await client.post(
    `/runs/${run.id}/submissions`,
    { purpose: input.purpose, manifest: system.manifest },
    committedSchema,
  );
  const submission = committed.id;
  const first = await client.get(`/submissions/${submission}/missing`, missingSchema);
  const signal = AbortSignal.timeout(60_000);
  await uploadChunks({ submission, system, first }, { client, onSent: () => undefined, signal });
  await client.post(`/submissions/${submission}/seal`, {}, submissionSchema);
  return { entry: entry.id, run: run.id, submission };
}

/** A submission as its team sees it now. */
export function submissionOf(submission: string, team: Team): Promise<Submission> {
  return team.client.get(`/submissions/${submission}`, submissionSchema);
}

async function readSmall(name: SystemName): Promise<ReadSystem> {
  const signal = AbortSignal.timeout(60_000);
  const reading = await readSystem(systemDir(name), { onHashed: () => undefined, signal });
  if (!reading.ok) throw new Error(`the ${name} system of the pocket season does not hold`);
  return reading.system;
}
