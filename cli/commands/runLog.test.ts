import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { newContest, newRun } from '@vtb/gateway/testing/contest.ts';
import { testGateway } from '@vtb/gateway/testing/testGateway.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { invoke } from '../testing/invoke.ts';
import { entryCommands } from './entries.ts';
import { submissionCommands } from './submissions.ts';

const gateway = await testGateway();
const ours = await newContest(gateway);
const scratch = await mkdtemp(join(tmpdir(), 'vtb-run-log-'));
const transcripts = fileURLToPath(new URL('../transcripts/fixtures', import.meta.url));
const server = serve({ fetch: gateway.app.fetch, port: 0, hostname: '127.0.0.1' });

beforeAll(async () => {
  if (!server.listening) await once(server, 'listening');
  // The transcripts are of the day before.
  await gateway.deps.sql`UPDATE runs SET started_at = '2026-12-01T09:00:00Z' WHERE id = ${ours.run}`;
});
afterAll(async () => {
  server.close();
  await rm(scratch, { recursive: true, force: true });
});

const vtb = (...args: string[]) =>
  invoke(args, {
    commands: (program, context) => {
      entryCommands(program, context);
      submissionCommands(program, context);
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: ours.member.token,
    home: scratch,
  });

const kept = async (run = ours.run) =>
  (await gateway.call(ours.member.token, 'GET', `/runs/${run}/log?limit=1000`)).json();

test('a research log goes to the only open run, and again changes nothing', async () => {
  const file = join(scratch, 'research.jsonl');
  await writeFile(
    file,
    [
      '{"kind":"design","id":"d1","components":["data"],"hypothesis":"more word problems"}',
      '',
      '{"kind":"usage","at":"2026-12-01T12:00:00Z","model":"kimi-k3","inputTokens":1000,"cachedTokens":null,"outputTokens":1234567}',
    ].join('\n'),
  );
  const first = await vtb('run', 'log', file);
  expect(first, first.stderr).toMatchObject({ code: 0 });
  expect(first.stdout).toContain(`Run ${ours.run}: 2 new line(s), 0 known before`);
  expect(first.stdout).toMatch(/kimi-k3 +1 +1,000 +unknown +1,234,567/);
  const second = await vtb('run', 'log', file, '--run', ours.run);
  expect(second.document).toMatchObject({ run: ours.run, sent: true, added: 0, known: 2 });
  expect((await kept()).lines).toHaveLength(2);
});

test('a bad file is refused with every line of it, and nothing is sent', async () => {
  const before = (await kept()).lines.length;
  const file = join(scratch, 'bad.jsonl');
  await writeFile(file, '{"kind":"design","id":"d9","components":["data"]}\n{"kind":"nothing"}\n{"kind":');
  const { code, failure } = await vtb('run', 'log', file);
  expect(code).toBe(1);
  expect(failure?.problems.map(({ at, message }) => `${at}: ${message}`)).toEqual([
    'line 2 kind: expected "kind" to be "episode", "design" or "usage"',
    'line 3: this is not JSON',
  ]);
  expect((await kept()).lines).toHaveLength(before);
});

test('what the service refuses is told with the file’s line numbers', async () => {
  const file = join(scratch, 'future.jsonl');
  await writeFile(
    file,
    '\n\n{"kind":"usage","at":"2030-01-01T00:00:00Z","model":null,"inputTokens":null,"cachedTokens":null,"outputTokens":1}\n',
  );
  expect(await vtb('run', 'log', file)).toMatchObject({
    code: 1,
    failure: {
      code: 'researchLog.invalid',
      problems: [{ code: 'researchLog.future', at: 'line 3 at' }],
    },
  });
});

test.each([
  ['claude-code', 3, 1_800 + 460],
  ['codex', 3, 700 + 1_230],
] as const)('transcripts of %s are taken in once, however often', async (from, files, generated) => {
  const before = (await kept()).lines.length;
  const dry = await vtb('run', 'log', '--from', from, join(transcripts, from), '--dry-run');
  expect(dry.document).toMatchObject({
    sent: false,
    tokens: { total: { outputTokens: generated } },
  });
  expect((await kept()).lines).toHaveLength(before);
  const sent = await vtb('run', 'log', '--from', from, join(transcripts, from));
  expect(sent.code).toBe(0);
  const { stderr, document } = sent;
  expect(stderr).toContain(`${files} transcript(s)`);
  expect(stderr).toContain('1 last line(s) are still being written');
  expect(document).toMatchObject({ sent: true, tokens: { total: { outputTokens: generated } } });
  const { added } = z.object({ added: z.int().min(1) }).parse(document);
  expect((await kept()).lines).toHaveLength(before + added);
  const again = await vtb('run', 'log', '--from', from, join(transcripts, from));
  expect(again.document).toMatchObject({ added: 0, known: added });
});

test('a wrong program or path is a usage error', async () => {
  expect((await vtb('run', 'log', '--from', 'pencil', transcripts)).code).toBe(2);
  expect((await vtb('run', 'log', '--from', 'codex', join(scratch, 'nothing'))).code).toBe(2);
  expect((await vtb('run', 'log', transcripts)).code).toBe(2);
});

test('the research log in a system’s folder joins the run’s when it is submitted, once', async () => {
  const entry = { team: ours.team, season: 'pocket', agent: 'Agent', agentHarness: null };
  const { id } = await (await gateway.call(ours.member.token, 'POST', '/entries', entry)).json();
  const run = await newRun(gateway, ours.member, id);
  const folder = join(scratch, 'system');
  await cp(fileURLToPath(new URL('../../seasons/pocket/systems/initial', import.meta.url)), folder, {
    recursive: true,
  });
  const log = join(folder, 'research.jsonl');
  await writeFile(log, '{"kind":"design","id":"s1","components":["trainer"]}\n{"kind":');
  const refused = await vtb('submit', folder, '--run', run);
  expect(refused.code).toBe(1);
  expect(refused.failure?.problems).toMatchObject([{ at: 'research.jsonl line 2' }]);
  const submissions = await gateway.call(ours.member.token, 'GET', `/runs/${run}/submissions`);
  expect((await submissions.json()).submissions, 'refused before anything is committed').toEqual([]);

  await writeFile(log, '{"kind":"design","id":"s1","components":["trainer"]}\n');
  const sent = await vtb('submit', folder, '--run', run);
  expect(sent, sent.failure?.message).toMatchObject({ code: 0 });
  expect(sent.stderr).toContain('research log: 1 new line(s), 0 known before');
  const again = await vtb('submit', folder, '--run', run);
  expect(again.stderr).toContain('research log: 0 new line(s), 1 known before');
  expect((await kept(run)).lines).toHaveLength(1);
});
