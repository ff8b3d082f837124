import postgres from 'postgres';
import { expect, test } from 'vitest';
import { testDatabase } from './testDatabase.ts';

const first = await testDatabase('public');
const second = await testDatabase('public');
const vault = await testDatabase('vault');

test('a test file gets a migrated database of its own', async () => {
  const [table] =
    await first.sql`SELECT count(*)::int AS count FROM information_schema.tables WHERE table_schema = 'public'`;
  expect(table?.count).toBeGreaterThan(5);
  expect(first.name).not.toBe(second.name);
});

test("the vault's side works the same way, and has no role for the site", async () => {
  const [table] = await vault.sql`SELECT to_regclass('trials') AS found`;
  expect(table?.found).toBe('trials');
  expect(vault.readUrl).toBeNull();
});

test('what one database holds is not in the other', async () => {
  await using owner = open(first.ownerUrl);
  await owner.sql`CREATE TABLE only_here (n int)`;
  const [there] = await second.sql`SELECT to_regclass('only_here') AS found`;
  expect(there?.found).toBeNull();
});

test("the application's role can't change the schema, and the site's role can't write at all", async () => {
  await expect(first.sql`CREATE TABLE sneaky (n int)`).rejects.toThrow(/permission denied/);
  await using site = open(first.readUrl ?? '');
  await expect(site.sql`CREATE TABLE sneaky (n int)`).rejects.toThrow(/read-only|permission denied/);
});

function open(url: string): AsyncDisposable & { readonly sql: postgres.Sql } {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}
