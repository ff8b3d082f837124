import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { type EmbeddedUrls, startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'vtb-embedded-'));
const never = new AbortController().signal;
let embedded = await startEmbedded({ dataDir, signal: never });

afterAll(async () => {
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test.each(['publicApp', 'publicOwner', 'publicRead'] as const)(
  'the %s role cannot connect to the vault',
  async (role) => {
    await expect(query(inDatabase(embedded.urls[role], 'vtb_vault'))).rejects.toThrow(
      /permission denied for database/,
    );
    await expect(query(inDatabase(embedded.urls[role], 'postgres'))).rejects.toThrow(
      /permission denied for database/,
    );
  },
);

test.each(['vaultApp', 'vaultOwner'] as const)(
  'the %s role cannot connect to the public database',
  async (role) => {
    await expect(query(inDatabase(embedded.urls[role], 'vtb_public'))).rejects.toThrow(
      /permission denied for database/,
    );
  },
);

test('a wrong password is refused, and the passwords are readable by their owner alone', async () => {
  const url = new URL(embedded.urls.publicApp);
  url.password = 'wrong';
  await expect(query(url.href)).rejects.toThrow(/password authentication failed/);
  expect((await stat(join(dataDir, 'access.json'))).mode & 0o777).toBe(0o600);
});

test('a second process on the same folder is refused while the first one holds it', async () => {
  await expect(startEmbedded({ dataDir, signal: never })).rejects.toThrow(/another process runs/);
});

test('after a kill of the server the same URL works again and committed rows are there', async () => {
  await using client = open(embedded.urls.publicOwner);
  await client.sql`CREATE TABLE kept (n int)`;
  await client.sql`INSERT INTO kept VALUES (1)`;
  const killed = embedded.pid();
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => embedded.pid(), { timeout: 20_000 }).not.toBe(killed);
  await expect
    .poll(() => client.sql`SELECT n FROM kept`.catch(() => []), { timeout: 10_000 })
    .toEqual([{ n: 1 }]);
});

test('a killed holder leaves a folder that the next one opens with all rows', async () => {
  await embedded.stop();
  const held = await holdElsewhere();
  await query(held.urls.publicOwner, 'INSERT INTO kept VALUES (2)');
  held.child.kill('SIGKILL');
  await once(held.child, 'exit');
  embedded = await startEmbedded({ dataDir, signal: never });
  await using client = open(embedded.urls.publicOwner);
  expect(await client.sql`SELECT n FROM kept ORDER BY n`).toEqual([{ n: 1 }, { n: 2 }]);
});

test('processes that migrate at the same time leave one schema, and none of them fails', async () => {
  const folder = join(import.meta.dirname, 'public', 'migrations');
  const grants = { write: ['vtb_public_app'], appendOnly: [], read: ['vtb_public_read'], unseen: [] };
  const input = { ownerUrl: embedded.urls.publicOwner, folder, grants };
  await Promise.all([migrate(input), migrate(input), migrate(input), migrate(input)]);
  await using client = open(embedded.urls.publicOwner);
  const rows =
    await client.sql`SELECT hash, count(*)::int AS times FROM drizzle.__drizzle_migrations GROUP BY hash`;
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every((row) => row.times === 1)).toBe(true);
});

test('a role that both writes and reads keeps sight of every table', async () => {
  const folder = join(import.meta.dirname, 'public', 'migrations');
  const grants = {
    write: ['vtb_public_app'],
    appendOnly: ['audit'],
    read: ['vtb_public_app'],
    unseen: ['tokens'],
  };
  await migrate({ ownerUrl: embedded.urls.publicOwner, folder, grants });
  await expect(query(embedded.urls.publicApp, 'SELECT count(*) FROM tokens')).resolves.toBeDefined();
  await expect(query(embedded.urls.publicApp, 'DELETE FROM audit')).rejects.toThrow(/permission denied/);
});

test('an aborted signal stops the server', async () => {
  const control = new AbortController();
  const other = await mkdtemp(join(tmpdir(), 'vtb-embedded-'));
  const server = await startEmbedded({ dataDir: other, signal: control.signal });
  const pid = server.pid();
  control.abort();
  await server.stop();
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  await rm(other, { recursive: true, force: true });
});

function open(url: string): AsyncDisposable & { readonly sql: postgres.Sql } {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => undefined });
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}

async function query(url: string, statement = 'SELECT 1'): Promise<unknown> {
  await using client = open(url);
  return await client.sql.unsafe(statement);
}

function inDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

async function holdElsewhere(): Promise<{
  readonly child: ReturnType<typeof spawn>;
  readonly urls: EmbeddedUrls;
}> {
  const code = `
    import { startEmbedded } from ${JSON.stringify(join(import.meta.dirname, 'embedded.ts'))};
    const signal = new AbortController().signal;
    const embedded = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, signal });
    console.log(JSON.stringify(embedded.urls));
    setInterval(() => undefined, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data', { signal: AbortSignal.timeout(60_000) })) as [Buffer];
  return { child, urls: JSON.parse(line.toString()) };
}
