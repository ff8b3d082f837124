/**
 * The public door as a process. It migrates, checks what is stored, loads seasons and keys, opens its port, and works
 * until SIGTERM or SIGINT; then it takes no more requests, lets go of what waits, and ends what is in progress.
 */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { roleOf } from '@vtb/db/migrate.ts';
import { connectPublic } from '@vtb/db/public/connect.ts';
import { migratePublic } from '@vtb/db/public/migrate.ts';
import { upsertSeason } from '@vtb/db/public/seasonRows.ts';
import { loadSeasons } from '@vtb/seasons/load.ts';
import { verifyStored } from './airlock/verifyStored.ts';
import { intakeDefaults, openIntake } from './chunks/intake.ts';
import { chunkStores } from './chunks/registry.ts';
import { openCliBundle } from './cliBundle.ts';
import { type GatewayConfig, readConfig } from './config.ts';
import { createApp } from './createApp.ts';
import type { Deps, Log } from './deps.ts';
import { newEventHub } from './events/hub.ts';
import { listen } from './events/listen.ts';
import { loadKeys } from './identity/loadKeys.ts';
import { ensureOwnerToken } from './identity/ownerToken.ts';
import { startInspector } from './inspection/inspector.ts';
import { openSite } from './siteHandler.ts';
import { startSweeps } from './sweeps/startSweeps.ts';

/** A chunk on a slow line may take ten minutes (receiveChunk); Node alone would cut it after five. */
const requestMsMax = 11 * 60_000;

/** Requests in progress get this long at the end. */
const drainMs = 10_000;

/** Runs the gateway until the signal aborts. */
export async function runGateway(config: GatewayConfig, signal: AbortSignal): Promise<void> {
  const loaded = await loadSeasons(config.seasonsDir, config.seasonIds);
  await migratePublic({
    ownerUrl: config.ownerUrl,
    appRole: roleOf(config.databaseUrl),
    readRole: roleOf(config.readUrl),
  });
  await using pool = connectPublic({ url: config.databaseUrl, connectionsMax: 20 });
  await using readPool = connectPublic({ url: config.readUrl, connectionsMax: 10 });
  const gatewayDir = join(config.dataDir, 'gateway');
  await mkdir(join(gatewayDir, 'chunks'), { recursive: true, mode: 0o700 });
  await using intake = openIntake(intakeDefaults);
  const deps: Deps = {
    db: pool.db,
    sql: pool.sql,
    now: () => new Date(),
    random: (count) => randomBytes(count),
    chunks:
      config.s3 === null
        ? await chunkStores.disk(
            { root: join(gatewayDir, 'chunks'), freeBytesMin: config.freeBytesMin },
            { intake },
          )
        : await chunkStores.s3(config.s3, { intake }),
    keys: await loadKeys(gatewayDir),
    seasons: new Map(loaded.map((one) => [one.season.id, one])),
    hub: newEventHub(),
    stopping: signal,
    log,
  };
  for (const { season, digest } of loaded)
    await upsertSeason({ id: season.id, definition: digest, document: season, at: deps.now() }, deps.db);
  await verifyStored(deps);
  if (await ensureOwnerToken(join(config.dataDir, 'owner.token'), deps)) log('ownerToken.written');
  const site = await openSite({
    entry: config.siteEntry,
    staticDir: config.siteStatic,
    db: readPool.db,
    now: deps.now,
  });
  if (site === null) log('site.notBuilt', { entry: config.siteEntry });
  const inspector = startInspector(deps, signal);
  const unlisten = await listen(() => inspector.wake(), deps);
  const sweeping = startSweeps(deps, signal);
  try {
    await serve(
      createApp(deps, {
        metricsToken: config.metricsToken,
        site,
        cliBundle: openCliBundle(config.cliBundle),
      }),
      config,
      signal,
    );
  } finally {
    await Promise.all([inspector.ended, sweeping]);
    await unlisten();
  }
}

async function serve(
  app: ReturnType<typeof createApp>,
  { host, port }: GatewayConfig,
  signal: AbortSignal,
): Promise<void> {
  const server = createAdaptorServer({ fetch: app.fetch });
  if ('requestTimeout' in server) server.requestTimeout = requestMsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  log('listening', { host, port: (server.address() as AddressInfo).port });
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  if ('closeIdleConnections' in server) server.closeIdleConnections();
  const late = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(late);
}

const log: Log = (event, facts = {}) => {
  process.stderr.write(
    `${JSON.stringify({ at: new Date().toISOString(), process: 'gateway', event, ...facts })}\n`,
  );
};

if (import.meta.main) {
  const stopping = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopping.abort());
  try {
    await runGateway(readConfig(), stopping.signal);
    log('stopped');
    process.exit(0);
  } catch (cause) {
    log('failed', { error: cause instanceof Error ? String(cause.stack) : String(cause) });
    process.exit(1);
  }
}
