import { entrySchema, runSchema } from '@vtb/protocol/wire/entries.ts';
import { committedSchema } from '@vtb/protocol/wire/submissions.ts';
import type { HttpTeam } from './httpTeam.ts';
import type { Payload } from './payload.ts';
import type { PutTarget } from './putAll.ts';

/** A committed submission that waits for its bytes. */
export interface PendingUpload {
  readonly id: string;
  readonly run: string;
  readonly missing: readonly string[];
  readonly target: PutTarget;
}

/** A run of a new entry of a team. */
export async function newHttpRun(name: string, team: HttpTeam): Promise<string> {
  const wanted = { team: team.id, season: 'pocket', agent: name, agentHarness: null };
  const entry = await team.post('/entries', wanted, entrySchema);
  return (await team.post(`/entries/${entry.id}/runs`, { track: 'wordmath' }, runSchema)).id;
}

/** Commits a payload to a run. */
export async function commitPayload(
  input: { readonly run: string; readonly payload: Payload },
  deps: { readonly team: HttpTeam; readonly service: { readonly url: string } },
): Promise<PendingUpload> {
  const { team, service } = deps;
  const { id, missing } = await team.post(
    `/runs/${input.run}/submissions`,
    { purpose: 'validation', manifest: input.payload.manifest },
    committedSchema,
  );
  const target: PutTarget = {
    urlOf: ({ sha256 }) => `${service.url}/api/v1/submissions/${id}/chunks/${sha256}`,
    method: 'PUT',
    headers: () => ({ authorization: `Bearer ${team.token}` }),
    kept: [204],
  };
  return { id, run: input.run, missing, target };
}
