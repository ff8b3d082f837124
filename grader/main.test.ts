import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { newMaintainerKey, newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { noticeSchema } from '@vtb/protocol/messages/notice.ts';
import { publicHalf, type SigningKey, unseal } from '@vtb/protocol/messages/sealing.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGraderConfig } from './config.ts';
import { listMessages, readMessage } from './spool.ts';
import { writeTestFile } from './testKit.ts';

const database = await testDatabase('vault');
const main = fileURLToPath(new URL('./main.ts', import.meta.url));
let data: string;
let signing: SigningKey;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'vtb-grader-main-'));
  const [gateway, runner, maintainer] = [
    await newSigningKey(),
    await newSigningKey(),
    await newMaintainerKey(),
  ];
  signing = await newSigningKey();
  const put = (path: string, value: unknown) =>
    writeTestFile(join(data, 'grader', path), typeof value === 'string' ? value : JSON.stringify(value));
  await put('keys/signing.json', signing);
  await put('keys/vault.key', randomBytes(32).toString('hex'));
  await put('trust/gateway.jwks.json', { keys: [publicHalf(gateway)] });
  await put('trust/runners.jwks.json', { keys: [publicHalf(runner)] });
  await put('trust/maintainer.jwk.json', {
    kty: 'OKP',
    crv: 'X25519',
    x: maintainer.jwk.x,
    kid: maintainer.kid,
  });
});
afterAll(() => rm(data, { recursive: true, force: true }));

const environment = () => ({
  PATH: process.env.PATH,
  VTB_DATA: data,
  VAULT_DATABASE_URL: database.url,
  VAULT_OWNER_URL: database.ownerUrl,
  VTB_SEASONS: 'vibetraining-bench,pocket',
});

/** Starts the grader, waits until it is ready, does something, and stops it as a supervisor would. */
async function whileRunning(
  signal: NodeJS.Signals,
  use: (deskUrl: string) => Promise<void>,
): Promise<number | null> {
  const child = spawn(process.execPath, [main], { env: environment(), stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (!line.includes('"grader.ready"')) continue;
    await use((await readFile(join(data, 'grader/desk.url'), 'utf8')).trim());
    child.kill(signal);
  }
  const code = await ended;
  if (lines.every((line) => !line.includes('"grader.ready"'))) throw new Error(lines.join('\n'));
  return code;
}

const splitsHeld = async () => {
  const spool = { root: join(data, 'spool') };
  const keys = { [signing.kid]: publicHalf(signing) };
  const ids = (await listMessages('outbox', spool)).filter((id) => id.startsWith('not_'));
  const notices = await Promise.all(
    ids.map(
      async (id) =>
        (await unseal('notice', await readMessage('outbox', id, 'message.jws', spool), noticeSchema, keys))
          .payload,
    ),
  );
  return notices.flatMap((notice) => (notice.kind === 'splits' ? [notice.splits] : []));
};

test('the process fills its vault once, serves the desk, tells its splits, and stops cleanly', async () => {
  const code = await whileRunning('SIGTERM', async (desk) => {
    expect((await fetch(`${desk}/healthz`)).status).toBe(200);
    expect((await fetch(`${desk}/replays/lease`, { method: 'POST' })).status).toBe(401);
    await expect.poll(async () => (await splitsHeld()).length, { timeout: 20_000 }).toBe(1);
  });
  expect(code).toBe(0);
  const [splits] = await splitsHeld();
  expect(
    splits?.map(({ season, track, purpose, tasks, secrecy }) => [season, track, purpose, tasks, secrecy]),
  ).toEqual([
    ['pocket', 'wordmath', 'final', 200, 'secret'],
    ['pocket', 'wordmath', 'validation', 100, 'visible'],
  ]);
  expect(await readdir(join(data, 'grader/vault'))).toHaveLength(2);
}, 60_000);

test('a start after kill -9 holds the same splits', async () => {
  const [before] = await splitsHeld();
  await whileRunning('SIGKILL', async () => undefined);
  await whileRunning('SIGTERM', async () => {
    await expect.poll(async () => (await splitsHeld()).length, { timeout: 20_000 }).toBeGreaterThan(1);
  });
  for (const splits of await splitsHeld()) expect(splits).toEqual(before);
}, 90_000);

test('a desk beyond loopback without TLS is refused', () => {
  expect(() => readGraderConfig({ ...environment(), VTB_DESK_HOST: '0.0.0.0' })).toThrow('loopback');
});
