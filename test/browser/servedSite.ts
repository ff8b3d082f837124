import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import { connectPublic, type Db } from '@vtb/db/public/connect.ts';
import { buildSite } from '@vtb/deploy/local/site.ts';
import { createApp } from '@vtb/gateway/createApp.ts';
import { openSite } from '@vtb/gateway/siteHandler.ts';
import { type TestGateway, testGateway } from '@vtb/gateway/testing/testGateway.ts';
import { afterAll } from 'vitest';

/** The built site behind the real app, on a port of its own. */
export interface ServedSite {
  readonly gateway: TestGateway;
  readonly origin: string;
  /** The same site where the database is gone. */
  readonly brokenOrigin: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Builds the site when it changed, and serves it over a database of the calling file's own, read by the read-only role. */
export async function servedSite(seasonIds: readonly string[]): Promise<ServedSite> {
  await buildSite(root, { PATH: process.env.PATH ?? '' });
  const gateway = await testGateway(seasonIds);
  const { readUrl } = gateway.database;
  if (readUrl === null) throw new Error('the public database has a read-only role');
  const pool = connectPublic({ url: readUrl, connectionsMax: 8 });
  afterAll(() => pool[Symbol.asyncDispose]());
  const gone = connectPublic({ url: readUrl, connectionsMax: 1 });
  await gone[Symbol.asyncDispose]();
  return {
    gateway,
    origin: await serve(pool.db, gateway),
    brokenOrigin: await serve(gone.db, gateway),
  };
}

async function serve(db: Db, { deps, clock }: TestGateway): Promise<string> {
  const dist = `${root}site/dist`;
  const site = await openSite({
    entry: `${dist}/server/entry.mjs`,
    staticDir: `${dist}/client`,
    db,
    now: () => clock.at,
  });
  if (site === null) throw new Error('the site is not built');
  const app = createApp(deps, { metricsToken: null, cliBundle: async () => null, site });
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
