import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCliBundle } from './cliBundle.ts';
import { createApp } from './createApp.ts';
import { testGateway } from './testing/testGateway.ts';

const gateway = await testGateway();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vtb-bundle-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('/vtb.mjs is the built file, known again by its ETag, and a new build shows at once', async () => {
  const file = join(folder, 'vtb.mjs');
  const app = createApp(gateway.deps, { metricsToken: null, site: null, cliBundle: openCliBundle(file) });
  const get = (etag = '', method = 'GET') =>
    app.request('/vtb.mjs', { method, headers: etag === '' ? {} : { 'if-none-match': etag } });

  expect((await get()).status, 'not built').toBe(404);

  await writeFile(file, 'one');
  const one = await get();
  expect([one.status, await one.text(), one.headers.get('content-type')]).toEqual([
    200,
    'one',
    'text/javascript; charset=utf-8',
  ]);
  const etag = one.headers.get('etag') ?? '';
  const known = await get(`W/${etag}, "x"`);
  expect([known.status, await known.text()]).toEqual([304, '']);
  const head = await get('', 'HEAD');
  expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '3']);

  await writeFile(file, 'second');
  await utimes(file, 1, 1);
  const second = await get(etag);
  expect([second.status, await second.text()]).toEqual([200, 'second']);
});
