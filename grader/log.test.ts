import { testDatabase } from '@vtb/db/testDatabase.ts';
import { connectVault } from '@vtb/db/vault/connect.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { errorFields } from './log.ts';

const database = await testDatabase('vault');
const secret = 'what only the hidden task says';
const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

test('a failed query is logged by its code: neither SQL, nor parameters, nor the value it failed at', async () => {
  await using vault = connectVault({ url: database.url, connectionsMax: 1 });
  const failed = await failureOf(vault.db.execute(sql`SELECT ${secret}::text::int`));
  expect(String(failed)).toContain(secret);
  expect(errorFields(failed)).toEqual({ error: 'Error', message: 'a query failed', code: '22P02' });
});

test('a query that no server answers is logged so too', async () => {
  await using vault = connectVault({ url: 'postgres://nobody@127.0.0.1:1/none', connectionsMax: 1 });
  const failed = await failureOf(findOrder(secret, vault.db));
  expect(String(failed)).toContain(secret);
  expect(errorFields(failed)).toMatchObject({ message: 'a query failed', code: 'ECONNREFUSED' });
});

test('an error of ours keeps its message', () => {
  expect(errorFields(new RangeError('at most 3, not 4'))).toEqual({
    error: 'RangeError',
    message: 'at most 3, not 4',
  });
});
