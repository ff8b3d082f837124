import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seal, unseal } from '@vtb/protocol/messages/sealing.ts';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ensureKeys } from './keys.ts';

const folder = await mkdtemp(join(tmpdir(), 'vtb-keys-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
await ensureKeys(folder);
const json = async (path: string) => JSON.parse(await readFile(join(folder, path), 'utf8'));

test.each([
  ['gateway/keys/signing.json', 'grader/trust/gateway.jwks.json'],
  ['grader/keys/signing.json', 'gateway/trust/grader.jwks.json'],
  ['courier/keys/courier.json', 'gateway/trust/courier.jwks.json'],
  ['runner/keys/runner.json', 'grader/trust/runners.jwks.json'],
])('what %s signs, %s opens, and no other pin does', async (keyPath, pinPath) => {
  const jws = await seal('order', { a: 1 }, await json(keyPath));
  const pinned = async (path: string) =>
    Object.fromEntries((await json(path)).keys.map((jwk: { kid: string }) => [jwk.kid, jwk]));
  const schema = z.object({ a: z.number() });
  expect((await unseal('order', jws, schema, await pinned(pinPath))).payload).toEqual({ a: 1 });
  const other = pinPath.includes('gateway.jwks')
    ? 'gateway/trust/grader.jwks.json'
    : 'grader/trust/gateway.jwks.json';
  await expect(unseal('order', jws, schema, await pinned(other))).rejects.toThrow(/not trusted/);
});

test('no private half is among the pins', async () => {
  for (const path of [
    'gateway/trust/grader.jwks.json',
    'grader/trust/runners.jwks.json',
    'grader/trust/maintainer.jwk.json',
  ]) {
    expect(await readFile(join(folder, path), 'utf8')).not.toMatch(/"d":/);
  }
});

test('keys are for their owner alone, and a second time changes nothing', async () => {
  const before = await json('gateway/keys/signing.json');
  const pins = await readFile(join(folder, 'grader/trust/gateway.jwks.json'), 'utf8');
  await ensureKeys(folder);
  expect(await json('gateway/keys/signing.json')).toEqual(before);
  expect(await readFile(join(folder, 'grader/trust/gateway.jwks.json'), 'utf8')).toBe(pins);
  expect((await stat(join(folder, 'gateway/keys/signing.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'gateway/keys'))).mode & 0o777).toBe(0o700);
});
