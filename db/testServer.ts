/**
 * Theory of operation. One embedded server serves a whole test run, but it is started only when the first test
 * file asks for a database. Test files run in processes of their own, so they ask through a door: a small HTTP
 * server on loopback in the run's main process. Asking clones the side's migrated template; leaving drops the
 * clone. The template is made at the first question, one at a time.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessUrl, roles } from './embedded/access.ts';
import { adminClient, closeDatabase, sides } from './embedded/provision.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { migratePublic } from './public/migrate.ts';
import { migrateVault } from './vault/migrate.ts';

/** The two databases of the service. */
export type Side = keyof typeof sides;

/** What the door answers: the URLs of a fresh clone. `read` is the site's role, on the public side alone. */
export interface CloneUrls {
  readonly name: string;
  readonly app: string;
  readonly owner: string;
  readonly read: string | null;
}

/** The door of a test run. */
export interface TestServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens the door; nothing is started until somebody asks. */
export async function openTestServer(): Promise<TestServer> {
  let started: Promise<Clones> | undefined;
  const clones = (): Promise<Clones> => {
    started ??= startClones();
    return started;
  };
  const door = createServer((request, response) => {
    const [, verb, name] = (request.url ?? '').split('/');
    const answer = clones().then(async (all) =>
      verb === 'drop' ? all.drop(name ?? '') : all.make(name === 'vault' ? 'vault' : 'public'),
    );
    answer.then(
      (body) => response.end(JSON.stringify(body ?? null)),
      (error: Error) => response.writeHead(500).end(String(error.stack)),
    );
  });
  return {
    url: await listen(door),
    close: async () => {
      door.closeAllConnections();
      await new Promise((done) => door.close(done));
      await started?.then(
        (all) => all.stop(),
        () => undefined,
      );
    },
  };
}

interface Clones {
  make(side: Side): Promise<CloneUrls>;
  drop(name: string): Promise<void>;
  stop(): Promise<void>;
}

async function startClones(): Promise<Clones> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vtb-test-db-'));
  const stopping = new AbortController();
  // A test's rows need not survive a power cut; four times faster without that.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '32MB',
  };
  const embedded = await startEmbedded({ dataDir, signal: stopping.signal, settings });
  const templates = new Map<Side, Promise<void>>();
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work);
    turn = mine;
    return mine;
  };
  return {
    make: async (side) => {
      const template = templates.get(side) ?? prepareTemplate(embedded, side);
      templates.set(side, template);
      await template;
      return inTurn(() => clone(embedded, side));
    },
    drop: (name) => inTurn(() => drop(embedded, name)),
    stop: async () => {
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function prepareTemplate({ urls }: Embedded, side: Side): Promise<void> {
  if (side === 'public') {
    await migratePublic({ ownerUrl: urls.publicOwner, appRole: roles.publicApp, readRole: roles.publicRead });
    return;
  }
  await migrateVault({ ownerUrl: urls.vaultOwner, url: urls.vaultApp });
}

async function clone({ access }: Embedded, side: Side): Promise<CloneUrls> {
  const { database, owner } = sides[side];
  const name = `test_${side}_${randomBytes(6).toString('hex')}`;
  await using admin = adminClient(access);
  await admin.sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${database} OWNER ${roles[owner]}`);
  await closeDatabase(admin.sql, name, sides[side]);
  return {
    name,
    app: accessUrl(access, side === 'public' ? 'publicApp' : 'vaultApp', name),
    owner: accessUrl(access, owner, name),
    read: side === 'public' ? accessUrl(access, 'publicRead', name) : null,
  };
}

async function drop({ access }: Embedded, name: string): Promise<void> {
  if (!/^test_[a-z]+_[0-9a-f]{12}$/.test(name)) throw new Error(`not a test's database: ${name}`);
  await using admin = adminClient(access);
  await admin.sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

function listen(door: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    door.once('error', reject);
    door.listen(0, '127.0.0.1', () => {
      const address = door.address();
      if (typeof address === 'object' && address !== null) resolve(`http://127.0.0.1:${address.port}`);
    });
  });
}
