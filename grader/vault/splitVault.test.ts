import { randomBytes } from 'node:crypto';
import { copyFile, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { activeSplit, type SplitRow } from '@vtb/db/vault/splits.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { cryptoRandom } from '@vtb/seasons/random.ts';
import { beforeAll, expect, test } from 'vitest';
import { type TestEnclave, testEnclave } from '../testKit.ts';
import { fillVault } from './fillVault.ts';
import { open, seal } from './sealed.ts';
import { openSplit } from './splitVault.ts';

const database = await testDatabase('vault');
let at: TestEnclave;
beforeAll(async () => {
  at = await testEnclave(database.url);
});

const held = async (purpose: 'validation' | 'final'): Promise<SplitRow> => {
  const row = await activeSplit({ season: 'pocket', track: 'wordmath', purpose }, at.enclave.db);
  if (row === undefined) throw new Error('the vault is filled');
  return row;
};
const refill = () =>
  fillVault([...at.enclave.seasons.values()], {
    vault: at.enclave.vault,
    random: cryptoRandom(),
    now: at.enclave.now,
    log: at.enclave.log,
  });

test('a generated split is made once and kept for ever; only the final one is hidden', async () => {
  const [final, validation] = [await held('final'), await held('validation')];
  await refill();
  expect(await held('final')).toEqual(final);
  expect([final.hidden, validation.hidden]).toEqual([true, false]);
  expect([final.secrecy, validation.secrecy]).toEqual(['secret', 'visible']);
  expect(final.tasks).toBe(10);
});

test('the commitment is of salt and digest, and the salt is not in it', async () => {
  const { salt, digest, commitment } = await held('final');
  expect(sha256Hex(Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(digest, 'hex')]))).toBe(commitment);
});

test('no file of the vault shows a task', async () => {
  const tasks = await openSplit(await held('final'), at.enclave.vault);
  for (const name of await readdir(at.enclave.vault.folder)) {
    const bytes = await readFile(join(at.enclave.vault.folder, name));
    expect(tasks.filter(({ problem }) => bytes.includes(problem))).toEqual([]);
  }
});

test('a sealed file opens only as what it was sealed as, with its key, unaltered', async () => {
  const key = randomBytes(32);
  const sealed = seal(key, Buffer.from('tasks'), 'split\na\nfinal');
  expect(Buffer.from(open(key, sealed, 'split\na\nfinal')).toString()).toBe('tasks');
  expect(() => open(key, sealed, 'split\na\nvalidation')).toThrow('seal');
  expect(() => open(randomBytes(32), sealed, 'split\na\nfinal')).toThrow('seal');
  for (let place = 0; place < sealed.length; place += 1) {
    const altered = Uint8Array.from(sealed);
    altered[place] = (altered[place] ?? 0) ^ 1;
    expect(() => open(key, altered, 'split\na\nfinal')).toThrow();
  }
  expect(() => open(key, sealed.subarray(0, 20), 'split\na\nfinal')).toThrow('sealed file');
  expect(seal(key, Buffer.from('tasks'), 'x')).not.toEqual(seal(key, Buffer.from('tasks'), 'x'));
});

test('sealed files that were swapped on disk do not open', async () => {
  const [final, validation] = [await held('final'), await held('validation')];
  const path = (row: SplitRow) => join(at.enclave.vault.folder, row.file);
  await copyFile(path(final), `${path(final)}.kept`);
  await copyFile(path(validation), path(final));
  await expect(openSplit(final, { ...at.enclave.vault, opened: new Map() })).rejects.toThrow('seal');
  await rename(`${path(final)}.kept`, path(final));
  expect(await openSplit(final, { ...at.enclave.vault, opened: new Map() })).toHaveLength(10);
});
