import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessUrl, type RoleKey } from '@vtb/db/embedded/access.ts';
import { routes } from '@vtb/gateway/app.ts';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { courierToken } from '../service/courierToken.ts';
import { hiddenTasks } from '../service/hiddenTexts.ts';
import { root, type Service, startService } from '../service/service.ts';
import { newTeam, type Submitted, submissionOf, submitSystem, type Team } from '../service/team.ts';
import { type TextSearch, textSearch } from '../service/textSearch.ts';

/** Stands where anybody may read it, so that a search which finds nothing is known to look. */
const decoy = "Decoy's 71 sparrows found 902 shells. How many were there?";

let service: Service;
let team: Team;
let submitted: Submitted;
let search: TextSearch;
const control = textSearch([decoy]);

beforeAll(async () => {
  service = await startService();
  team = await newTeam('Quiet', service);
  submitted = await submitSystem({ agent: decoy, system: 'tuned', purpose: 'final' }, team);
  const isPublished = async () => (await submissionOf(submitted.submission, team)).state === 'published';
  await service.until('the publication', isPublished, 180_000);
  const receipt = async () => (await fetch(`${service.url}${await receiptPath()}`)).status === 200;
  await service.until('the receipt', receipt);
  search = textSearch((await hiddenTasks(service)).map(({ problem }) => problem));
}, 400_000);
afterAll(() => service?.stop());

async function receiptPath(): Promise<string> {
  return (await submissionOf(submitted.submission, team)).gradings[0]?.receipt ?? '';
}

test('no hidden problem is in the public database, in any column of any table', async () => {
  const rows = await everyRow(service.sql.public);
  expect(search.inBytes(rows)).toEqual([]);
  expect(control.inBytes(rows)).toEqual([decoy]);
});

test('the vault’s database knows tasks by their place: no problem’s text is in it', async () => {
  const rows = await everyRow(service.sql.vault);
  expect(rows.length).toBeGreaterThan(10_000);
  expect(search.inBytes(rows)).toEqual([]);
});

test('no hidden problem lies on the disk: chunk store, spool, runner, grader, database files and their log', async () => {
  // What is still in the server's memory goes to its files first.
  await service.sql.public`CHECKPOINT`;
  expect(await search.inFolder(service.dataDir)).toEqual([]);
  const planted = ['gateway/chunks/x', 'spool/chunks/x', 'runner/work/x', 'grader/x'].map((path) =>
    join(service.dataDir, path),
  );
  const forms = [
    decoy,
    Buffer.from(`..${decoy}`).toString('base64url'),
    JSON.stringify(decoy),
    `<b>${decoy}`,
  ];
  for (const [index, path] of planted.entries()) await writeFile(path, forms[index] ?? '');
  const found = await control.inFolder(service.dataDir);
  expect(found).toEqual(expect.arrayContaining(planted.map((path) => `${path}: ${decoy}`)));
  expect(found.some((line) => line.includes('/postgres/'))).toBe(true);
}, 180_000);

test('no hidden problem is in what any process wrote to its output', async () => {
  const log = await service.log();
  for (const name of ['start', 'gateway', 'grader', 'courier', 'runner'])
    expect(log).toContain(`"process":"${name}"`);
  expect(search.inBytes(Buffer.from(log))).toEqual([]);
  expect(control.inBytes(Buffer.from(`${log}{"message":${JSON.stringify(decoy)}}`))).toEqual([decoy]);
});

test('no hidden problem is in any answer of the API, whoever asks', async () => {
  const { found, asked } = await everyAnswer(search);
  expect(found).toEqual([]);
  expect(asked).toBeGreaterThan(50);
  expect((await everyAnswer(control)).found.length).toBeGreaterThan(3);
}, 60_000);

test('no hidden problem is on any page', async () => {
  const pages = await pagePaths();
  const control_: string[] = [];
  for (const path of pages) {
    const html = Buffer.from(await (await fetch(service.url + path)).arrayBuffer());
    expect(search.inBytes(html), path).toEqual([]);
    if (control.inBytes(html).length > 0) control_.push(path);
  }
  expect(control_).toEqual(expect.arrayContaining([`/entries/${submitted.entry}`, '/seasons/pocket']));
}, 60_000);

test('no role of one database can connect to the other, or to the server’s own', async () => {
  const roles: Readonly<Record<'vtb_public' | 'vtb_vault', readonly RoleKey[]>> = {
    vtb_public: ['publicApp', 'publicRead', 'publicOwner'],
    vtb_vault: ['vaultApp', 'vaultOwner'],
  };
  const databases = ['vtb_public', 'vtb_vault', 'postgres', 'template1'] as const;
  for (const [own, keys] of Object.entries(roles))
    for (const role of keys)
      for (const database of databases)
        expect(await connects(role, database), `${role} to ${database}`).toBe(database === own);
}, 60_000);

async function everyRow(sql: postgres.Sql): Promise<Buffer> {
  const tables = await sql`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
  expect(tables.length).toBeGreaterThan(5);
  const parts: string[] = [];
  for (const { name } of tables)
    for (const { row } of await sql.unsafe(`SELECT t::text AS row FROM ${name} AS t`)) parts.push(row);
  return Buffer.from(parts.join('\n'));
}

/** Every GET of the route table, with every id that this way made, asked by everybody there is. */
async function everyAnswer(look: TextSearch): Promise<{ found: readonly string[]; asked: number }> {
  const [grading] = (await submissionOf(submitted.submission, team)).gradings;
  const [order] = await service.sql.public`SELECT "order" FROM gradings LIMIT 1`;
  const [chunk] = await service.sql.public`SELECT sha256 FROM submission_chunks LIMIT 1`;
  const ids: Readonly<Record<string, string>> = {
    '/teams': team.id,
    '/entries': submitted.entry,
    '/runs': submitted.run,
    '/submissions': submitted.submission,
    '/seasons': 'pocket',
    '/receipts': grading?.id ?? '',
    '/airlock/orders': order?.order,
    '/comparisons': 'wordmath',
  };
  const queries: Readonly<Record<string, readonly string[]>> = {
    '/log': ['?season=pocket', '?season=pocket&leaf=0&since=1'],
    '/quota': [`?run=${submitted.run}`],
    '/seasons/:id/board': ['', '?format=csv', '?format=md'],
    '/airlock/feed': ['?after=0&wait=0'],
    '/comparisons/:track': ['?season=pocket'],
  };
  const tokens = [null, team.token, service.ownerToken, await courierToken(service.dataDir)];
  const found: string[] = [];
  let asked = 0;
  for (const { method, path } of routes) {
    if (method !== 'GET') continue;
    const id = ids[path.slice(0, Math.max(0, path.indexOf('/:')))];
    if (path.includes('/:')) expect(id, `an id for ${path}`).toBeDefined();
    const filled = path
      .replace(/\/:(id|gradingId|season)\b/, `/${id}`)
      .replace(':track', 'wordmath')
      .replace(':sha256', chunk?.sha256);
    expect(filled, 'every parameter is filled').not.toContain(':');
    for (const query of queries[path] ?? [''])
      for (const token of tokens) {
        const bytes = await firstBytes(`/api/v1${filled}${query}`, token);
        asked += 1;
        for (const text of look.inBytes(bytes)) found.push(`${path}: ${text}`);
      }
  }
  return { found, asked };
}

/** An answer's bytes; of a stream that stays open, what comes within a second. */
async function firstBytes(path: string, token: string | null): Promise<Buffer> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const parts: Buffer[] = [];
  const signal = AbortSignal.timeout(path.endsWith('/events') ? 1_000 : 20_000);
  try {
    const response = await fetch(service.url + path, { headers, signal });
    for await (const part of response.body ?? []) parts.push(Buffer.from(part));
  } catch (error) {
    if (!signal.aborted || !path.endsWith('/events')) throw error;
  }
  return Buffer.concat(parts);
}

/** Every page that the site has, and what else is served at the root. */
async function pagePaths(): Promise<readonly string[]> {
  const files = await readdir(join(root, 'site/pages'), { recursive: true });
  const ids: Readonly<Record<string, string>> = {
    '[entry]': submitted.entry,
    '[season]': 'pocket',
    '[submission]': submitted.submission,
  };
  const pages = files
    .filter((file) => file.endsWith('.astro'))
    .map((file) => `/${file.replace(/(^|\/)index\.astro$/, '').replace(/\.astro$/, '')}`)
    .map((path) => path.replace(/\[\w+\]/g, (name) => ids[name] ?? name));
  for (const page of pages) expect(page, 'every page’s parameter is filled').not.toContain('[');
  return [...pages, '/api', '/api/v1/openapi.json', '/metrics', '/healthz', '/.well-known/jwks.json'];
}

async function connects(role: RoleKey, database: string): Promise<boolean> {
  const sql = postgres(accessUrl(service.access, role, database), { max: 1, onnotice: () => undefined });
  try {
    await sql`SELECT 1`;
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/permission denied for database/);
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
