import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { latestAlarms } from '@vtb/db/vault/alarms.ts';
import { feedCursor } from '@vtb/db/vault/feed.ts';
import type { LoadedSeason } from '@vtb/seasons/load.ts';
import { beforeAll, expect, test } from 'vitest';
import type { Enclave } from '../enclave.ts';
import { gradeOnce } from '../grade.ts';
import { sendNotice } from '../notices.ts';
import { feedId, hasMessage, listMessages, messagePath } from '../spool.ts';
import { type TestEnclave, testEnclave, testSystem } from '../testKit.ts';

const database = await testDatabase('vault');
const system = testSystem('a system');
let at: TestEnclave;
beforeAll(async () => {
  at = await testEnclave(database.url);
});
const grade = () => gradeOnce({ number: 0 }, at.enclave);
const alarms = async () => (await latestAlarms(50, at.enclave.db)).map((alarm) => alarm.code);

test('a bug of ours refuses no message and holds up no other step; once mended, the message is taken', async () => {
  await at.feed.sendOrder(system, 'validation');
  await sendNotice({ kind: 'runners', runners: [] }, at.enclave.db, at.enclave);
  class Broken extends Map<string, LoadedSeason> {
    override get(): never {
      throw new TypeError('a bug');
    }
  }
  const buggy: Enclave = { ...at.enclave, seasons: new Broken() };
  await expect(gradeOnce({ number: 0 }, buggy)).rejects.toThrow('a bug');
  expect(await hasMessage('claimed', feedId(1), at.enclave.spool)).toBe(true);
  expect(await alarms()).toEqual([]);
  expect(await listMessages('outbox', at.enclave.spool)).not.toEqual([]);
  await grade();
  expect((await feedCursor(at.enclave.db)).number).toBe(1);
});

test('a message that is no UTF-8 is put aside', async () => {
  await at.feed.sendOrder(system, 'validation');
  const path = join(messagePath('inbox', feedId(2), at.enclave.spool), 'message.jws');
  await writeFile(path, Buffer.from([0x65, 0xff, 0xfe]));
  await grade();
  expect(await hasMessage('refused', feedId(2), at.enclave.spool)).toBe(true);
  expect(await alarms()).toEqual(['feed.refused']);
});
