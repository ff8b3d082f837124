import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commit, madeSystem, newContest } from '@vtb/gateway/testing/contest.ts';
import { testGateway } from '@vtb/gateway/testing/testGateway.ts';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { startVtb } from './testing/childVtb.ts';
import { openDoor } from './testing/door.ts';

const gateway = await testGateway();
const ours = await newContest(gateway);
const door = await openDoor(gateway.app.fetch);
const home = await mkdtemp(join(tmpdir(), 'vtb-cli-'));
const initial = fileURLToPath(new URL('../seasons/pocket/systems/initial', import.meta.url));
const env = { VTB_URL: door.url, VTB_TOKEN: ours.member.token, HOME: home };
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const vtb = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  startVtb(args, { env: { ...env, ...more } }).ended;
const until = (what: string, check: () => boolean) =>
  vi.waitFor(() => expect(check(), what).toBe(true), { timeout: 60_000, interval: 10 });
/** The one document that --json promises; fails when there is anything else on stdout. */
function documentOf({ stdout }: { readonly stdout: string }) {
  expect(stdout.endsWith('}\n')).toBe(true);
  return JSON.parse(stdout);
}

describe('an exit code says how it ended', () => {
  test('0 when done, and --json is one document', async () => {
    const end = await vtb(['whoami', '--json']);
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(documentOf(end)).toMatchObject({ url: door.url, account: { id: ours.member.account } });
  });

  test('1 when refused, with every problem at once', async () => {
    const dir = await mkdtemp(join(home, 'bad-'));
    await writeFile(join(dir, 'system.toml'), 'track = "wordmath"\nedits = []\nterms = "no"\n');
    await writeFile(join(dir, 'notes.txt'), 'x');
    const end = await vtb(['check', dir, '--json']);
    expect(end.code).toBe(1);
    const { error } = documentOf(end);
    expect(error).toMatchObject({ kind: 'refused', code: 'system.refused' });
    const places = error.problems.map((problem: { at: string; message: string }) => problem.message);
    expect(places).toEqual(
      expect.arrayContaining([
        'is no part of a system',
        'name must be given',
        'license must be given',
        'base must name the base model',
        'terms must be the SHA-256 of the terms you accept',
      ]),
    );
    const said = await vtb(['check', dir]);
    expect(said).toMatchObject({ code: 1, stdout: '' });
    expect(said.stderr).toContain('notes.txt: is no part of a system');
  });

  test('2 for what is no command, with a document as well', async () => {
    const end = await vtb(['board', '--colour', '--json']);
    expect(end).toMatchObject({ code: 2, stderr: '' });
    expect(documentOf(end).error).toMatchObject({ kind: 'usage', detail: "unknown option '--colour'" });
    const said = await vtb(['bord']);
    expect(said).toMatchObject({ code: 2, stdout: '' });
    expect(said.stderr).toContain('(Did you mean board?)');
  });

  test('3 when the service is not there', async () => {
    const end = await vtb(['whoami', '--json'], { VTB_URL: 'http://127.0.0.1:9' });
    expect(end.code).toBe(3);
    expect(documentOf(end).error.code).toBe('service.unreachable');
  });

  test('4 when it gave up waiting', async () => {
    const { id } = await commit(gateway, {
      token: ours.member.token,
      run: ours.run,
      purpose: 'validation',
      system: madeSystem(),
    });
    const end = await vtb(['watch', id, '--timeout', '0.2', '--json']);
    expect(end.code).toBe(4);
    expect(documentOf(end).error.code).toBe('wait.timedOut');
    expect(end.stderr).toContain(`${id} committed: 0 % of`);
  });
});

test('help is on stdout, of every command, and a document with --json', async () => {
  const all = await vtb(['--help']);
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(all.stdout).toContain('Exit codes: 0 done');
  const end = await vtb(['submit', '--help', '--json']);
  expect(end.code).toBe(0);
  expect(documentOf(end).help).toContain('--purpose <purpose>');
});

test('control characters of a hostile service are never printed raw', async () => {
  const hostile = 'a\u001b[2Jb\u009b31mc\u202ed\u0007\u2028e';
  await using liar = await openDoor(() =>
    Response.json(
      {
        type: 'x',
        title: hostile,
        status: 409,
        code: 'state.conflict',
        detail: hostile,
        requestId: 'r',
        problems: [{ code: hostile, at: hostile, message: hostile, fix: hostile }],
      },
      { status: 409, headers: { 'content-type': 'application/problem+json' } },
    ),
  );
  for (const flags of [[], ['--json']]) {
    const { code, stdout, stderr } = await vtb(['whoami', ...flags], { VTB_URL: liar.url });
    expect(code).toBe(1);
    expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    if (flags.length > 0) expect(JSON.parse(stdout).error.problems[0].message).toBe(hostile);
  }
});

/** A chunk of a system that is sent. */
const isChunk = (request: string) => request.startsWith('PUT ');

describe('an interrupted submit', () => {
  test.each(['SIGINT', 'SIGKILL'] as const)(
    'goes on after %s: one submission, one try',
    async (signal) => {
      const { member, run } = await newContest(gateway);
      const theirs = { VTB_TOKEN: member.token };
      const from = door.requests.length;
      const sent = () => door.requests.slice(from).filter(isChunk).length;
      door.treat = (request) => (isChunk(request) && sent() > 4 ? 'hold' : 'pass');
      const first = startVtb(['submit', initial, '--run', run, '--json'], { env: { ...env, ...theirs } });
      await until('some chunks', () => sent() > 6);
      first.kill(signal);
      const end = await first.ended;
      if (signal === 'SIGINT') {
        expect(end.code).toBe(1);
        expect(documentOf(end).error).toMatchObject({
          code: 'interrupted',
          detail: expect.stringMatching(/interrupted; sub_\w+ is committed: the same command goes on/),
        });
      }
      door.treat = () => 'pass';
      const before = sent();
      const again = await vtb(['submit', initial, '--json'], theirs);
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(again.stderr).toContain('is this very system: going on with it');
      const [only, ...more] = await submissionsOf(run, member.token);
      expect(more).toEqual([]);
      expect(documentOf(again)).toMatchObject({ id: only.id, state: 'checking' });
      const { chunks } = documentOf(await vtb(['check', initial, '--json']));
      expect(sent() - before, 'the four that had arrived are not sent again').toBe(chunks - 4);
      const third = await vtb(['submit', initial, '--json'], theirs);
      expect(documentOf(third).id, 'on its way already').toBe(only.id);
    },
    120_000,
  );

  test('of a final is found though its run has ended', async () => {
    const { member, run } = await newContest(gateway);
    const theirs = { VTB_TOKEN: member.token };
    const from = door.requests.length;
    door.treat = (request) => (isChunk(request) ? 'hold' : 'pass');
    const args = ['submit', initial, '--purpose', 'final'];
    const first = startVtb(args, { env: { ...env, ...theirs } });
    await until('a chunk', () => door.requests.slice(from).some(isChunk));
    first.kill('SIGINT');
    expect((await first.ended).code).toBe(1);
    door.treat = () => 'pass';
    const again = await vtb([...args, '--json'], theirs);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(await submissionsOf(run, member.token)).toMatchObject([
      { id: documentOf(again).id, state: 'checking' },
    ]);
  }, 120_000);
});

test('an upload survives a network that breaks off, and says so', async () => {
  const { member } = await newContest(gateway);
  let broken = 0;
  door.treat = (request) => (isChunk(request) && broken++ < 5 ? 'break' : 'pass');
  const end = await vtb(['submit', initial, '--json'], { VTB_TOKEN: member.token });
  door.treat = () => 'pass';
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(documentOf(end).state).toBe('checking');
  expect(end.stderr).toMatch(/can't be reached: .*; trying again, nothing is lost/);
  expect(end.stderr).toMatch(/back after \d+ s/);
}, 120_000);

async function submissionsOf(run: string, token: string) {
  const answer = await gateway.call(token, 'GET', `/runs/${run}/submissions`);
  return (await answer.json()).submissions;
}
