import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testGateway } from '../testing/testGateway.ts';
import { ensureOwnerToken } from './ownerToken.ts';

const gateway = await testGateway();
const { deps, clock, call } = gateway;
const folder = await mkdtemp(join(tmpdir(), 'vtb-owner-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const path = join(folder, 'owner.token');
const token = async () => (await readFile(path, 'utf8')).trim();

test('the first start writes a maintainer’s token for its owner alone; a later start keeps it while it is good', async () => {
  expect(await ensureOwnerToken(path, deps)).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const first = await token();
  expect(await (await call(first, 'GET', '/me')).json()).toMatchObject({ maintainer: true });
  expect(await ensureOwnerToken(path, deps)).toBe(false);
  expect(await token()).toBe(first);
});

test('an expired, revoked or spoiled one is replaced at the next start, for the same account', async () => {
  const me = async () => (await (await call(await token(), 'GET', '/me')).json()).account.id;
  const before = await me();
  const started = clock.at;
  clock.at = new Date(clock.at.getTime() + 91 * 86_400_000);
  expect((await call(await token(), 'GET', '/me')).status).toBe(401);
  expect(await ensureOwnerToken(path, deps)).toBe(true);
  expect(await me()).toBe(before);
  clock.at = started;
});
