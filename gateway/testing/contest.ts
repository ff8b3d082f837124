import { createHash, randomBytes } from 'node:crypto';
import type { Committed } from '@vtb/protocol/wire/submissions.ts';
import { expect } from 'vitest';
import type { TestGateway, TestPerson } from './testGateway.ts';

/** A team with people, an entry and a run. */
export interface Contest {
  readonly team: string;
  readonly owner: TestPerson;
  readonly member: TestPerson;
  readonly entry: string;
  readonly run: string;
}

/** A made-up system: its manifest and the chunks it names. Well formed, and refused by inspection. */
export interface MadeSystem {
  readonly manifest: unknown;
  readonly chunks: readonly { readonly sha256: string; readonly bytes: Buffer }[];
}

/** Makes a team with an owner and a member, one entry and one run on wordmath. */
export async function newContest(gateway: TestGateway): Promise<Contest> {
  const team = await made(
    gateway.call(gateway.owner.token, 'POST', '/teams', { name: `Team ${randomBytes(6).toString('hex')}` }),
  );
  const owner = await gateway.person({ team, role: 'owner' });
  const member = await gateway.person({ team, role: 'member' });
  const entry = await made(
    gateway.call(member.token, 'POST', '/entries', {
      team,
      season: 'pocket',
      agent: 'Agent',
      agentHarness: null,
    }),
  );
  return { team, owner, member, entry, run: await newRun(gateway, member, entry) };
}

/** Starts a run on wordmath. */
export async function newRun(gateway: TestGateway, member: TestPerson, entry: string): Promise<string> {
  return made(gateway.call(member.token, 'POST', `/entries/${entry}/runs`, { track: 'wordmath' }));
}

/** A system of one weights file of one chunk, unlike any other. */
export function madeSystem(track = 'wordmath'): MadeSystem {
  const description = chunkOf(Buffer.from(`track = "${track}"\n`));
  const weights = chunkOf(randomBytes(1_000));
  const files = [
    fileOf('system.toml', 'description', description),
    fileOf('weights/model.gguf', 'weights', weights),
  ];
  return {
    manifest: { schema: 1, track, edits: ['data', 'trainer'], files },
    chunks: [description, weights],
  };
}

function chunkOf(bytes: Buffer) {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
}

function fileOf(path: string, role: string, { sha256, bytes }: ReturnType<typeof chunkOf>) {
  return { path, role, size: bytes.length, chunks: [{ sha256, size: bytes.length }] };
}

/** Commits a system to a run. */
export async function commit(
  gateway: TestGateway,
  input: {
    readonly token: string;
    readonly run: string;
    readonly purpose: 'validation' | 'final';
    readonly system: MadeSystem;
  },
): Promise<Committed> {
  const { token, run, purpose, system } = input;
  const response = await gateway.call(token, 'POST', `/runs/${run}/submissions`, {
    purpose,
    manifest: system.manifest,
  });
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json();
}

/** Sends every chunk of a system and seals. */
export async function uploadAndSeal(
  gateway: TestGateway,
  input: { readonly token: string; readonly submission: string; readonly system: MadeSystem },
): Promise<void> {
  const { token, submission, system } = input;
  const sent = system.chunks.map(({ sha256, bytes }) =>
    gateway.call(token, 'PUT', `/submissions/${submission}/chunks/${sha256}`, bytes),
  );
  for (const { status } of await Promise.all(sent)) expect(status).toBe(204);
  const sealed = await gateway.call(token, 'POST', `/submissions/${submission}/seal`);
  expect(sealed.status, await sealed.clone().text()).toBe(200);
}

async function made(response: Promise<Response>): Promise<string> {
  const answer = await response;
  expect(answer.status, await answer.clone().text()).toBe(201);
  return (await answer.json()).id;
}
