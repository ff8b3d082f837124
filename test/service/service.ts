/**
 * Theory of operation. Tests that cross packages run the product itself: the supervisor behind `npm start`, with
 * everything that it starts, on a data folder and ports of its own and the small season. What a test sees it sees as
 * an outsider does (HTTP, the command line), or as the kernel and the server's superuser do (processes, tables, files).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Access, accessUrl } from '@vtb/db/embedded/access.ts';
import { bundleCli } from '@vtb/deploy/local/cliBundle.ts';
import { buildSite } from '@vtb/deploy/local/site.ts';
import { waitFor } from '@vtb/deploy/local/waitFor.ts';
import postgres from 'postgres';
import { descendants, type ProcessName, pidsOf } from './processTree.ts';
import { writeSmallSeason } from './smallSeason.ts';
import { runVtb, type VtbRun } from './vtbRun.ts';

/** Whom the service runs as; undefined: whoever runs the test. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** What a service is started with beside its defaults. */
export interface ServiceInput {
  /** Environment of the supervisor beside its own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: Account;
}

/** A started service. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly seasonsDir: string;
  readonly ownerToken: string;
  /** What all of its processes wrote to stdout and stderr so far. */
  readonly log: () => Promise<string>;
  readonly vtb: (args: readonly string[], token?: string, more?: VtbMore) => Promise<VtbRun>;
  readonly pids: (name: ProcessName) => Promise<readonly number[]>;
  /** kill -9. Returns the pids that were there. */
  readonly kill: (name: ProcessName) => Promise<readonly number[]>;
  /** Stops a process in its tracks (SIGSTOP) until `resume`. */
  readonly pause: (name: ProcessName) => Promise<void>;
  readonly resume: (name: ProcessName) => Promise<void>;
  /** The server's superuser in one of the two databases. */
  readonly sql: Readonly<Record<'public' | 'vault', postgres.Sql>>;
  readonly access: Access;
  /** Waits until a check holds; a check that throws (a server that is down) does not hold. */
  readonly until: (what: string, check: () => Promise<boolean>, timeoutMs?: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface VtbMore {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** The root of the repository. */
export const root = dirname(dirname(import.meta.dirname));

/** Short leases: a lost runner's work is taken up again within seconds. */
const shortLeases = { VTB_LEASE_MS: '4000', VTB_HEARTBEAT_MS: '700' };

/** Starts the whole product. throws Error with the end of its log when it is not ready within two minutes. */
export async function startService(input: ServiceInput = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'vtb-service-'));
  // Postgres, and an account that is not root, pass through it.
  await chmod(folder, 0o711);
  const [dataDir, seasonsDir, home] = ['data', 'seasons', 'home'].map((name) => join(folder, name));
  if (dataDir === undefined || seasonsDir === undefined || home === undefined) throw new Error('no folders');
  await writeSmallSeason(seasonsDir);
  // An account that owns nothing can't build it.
  if (input.account !== undefined) {
    await buildSite(root, { PATH: process.env.PATH ?? '' });
    await bundleCli(root);
  }
  for (const path of [dataDir, home]) {
    await mkdir(path, { mode: 0o711 });
    if (input.account !== undefined) await chown(path, input.account.uid, input.account.gid);
  }
  const port = await freePort();
  const path = process.env.PATH ?? '/usr/bin:/bin';
  const seasons = { VTB_SEASONS: 'pocket', VTB_SEASONS_DIR: seasonsDir };
  const base = { PATH: path, HOME: home, VTB_DATA: dataDir, ...seasons };
  const env = {
    ...{ ...base, PORT: String(port), VTB_DEMO: 'off', VTB_FREE_BYTES_MIN: '0' },
    ...shortLeases,
    ...input.env,
  };
  const logFile = join(folder, 'service.log');
  const sink = await open(logFile, 'w', 0o600);
  const supervisor = spawn(...command(input.account), {
    env,
    cwd: home,
    // Through the channel the supervisor hears when this process is killed.
    stdio: ['ignore', sink.fd, sink.fd, 'ipc'],
  });
  const log = () => readFile(logFile, 'utf8');
  const ended = once(supervisor, 'exit');
  const pid = supervisor.pid ?? 0;
  const cleanUp = async () => {
    await sink.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await becomesReady(log, ended);
  } catch (cause) {
    supervisor.kill('SIGKILL');
    const said = (await log()).slice(-6_000);
    await cleanUp();
    throw new Error(`the service did not start:\n${said}`, { cause });
  }

  const url = `http://127.0.0.1:${port}`;
  const ownerToken = (await readFile(join(dataDir, 'owner.token'), 'utf8')).trim();
  const access: Access = JSON.parse(await readFile(join(dataDir, 'postgres/access.json'), 'utf8'));
  const sql = { public: superuser(access, 'vtb_public'), vault: superuser(access, 'vtb_vault') };
  const until: Service['until'] = (what, check, timeoutMs = 60_000) =>
    waitFor(what, () => check().catch(() => false), {
      timeoutMs,
      everyMs: 15,
      signal: new AbortController().signal,
    });
  const signalAll = async (name: ProcessName, signal: NodeJS.Signals) => {
    const pids = await pidsOf(name, pid);
    for (const one of pids) if (isThere(one)) process.kill(one, signal);
    return pids;
  };
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      await Promise.all([sql.public.end({ timeout: 1 }), sql.vault.end({ timeout: 1 })]);
      const below = await descendants(pid);
      supervisor.kill('SIGTERM');
      const late = setTimeout(() => supervisor.kill('SIGKILL'), 30_000);
      await ended;
      clearTimeout(late);
      for (const one of below) if (isThere(one.pid)) await endLeftOver(one.pid);
      await cleanUp();
    })();
    return stopping;
  };
  // The gateway knows the splits, and both sides have signed the season record: orders are appended at once.
  await until(
    'the season record’s cosignature',
    async () => {
      const heads = await sql.public`SELECT 1 FROM tree_heads WHERE grader IS NOT NULL`;
      return heads.length > 0;
    },
    120_000,
  ).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    url,
    dataDir,
    seasonsDir,
    ownerToken,
    log,
    access,
    sql,
    vtb: (args, token, more = {}) =>
      runVtb(args, {
        root,
        env: { ...base, VTB_URL: url, ...(token === undefined ? {} : { VTB_TOKEN: token }), ...more.env },
        ...(more.stdin === undefined ? {} : { stdin: more.stdin }),
      }),
    pids: (name) => pidsOf(name, pid),
    kill: (name) => signalAll(name, 'SIGKILL'),
    pause: async (name) => {
      await signalAll(name, 'SIGSTOP');
    },
    resume: async (name) => {
      await signalAll(name, 'SIGCONT');
    },
    until,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function command(account: Account | undefined): [string, string[]] {
  const start = [process.execPath, join(root, 'deploy/local/start.ts')];
  if (account === undefined) return [process.execPath, start.slice(1)];
  const { uid, gid } = account;
  return ['setpriv', ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', '--', ...start]];
}

async function becomesReady(log: () => Promise<string>, ended: Promise<unknown>): Promise<void> {
  const settled = new AbortController();
  const ready = waitFor('ready', async () => /^ready http/m.test(await log()), {
    timeoutMs: 120_000,
    everyMs: 50,
    signal: settled.signal,
  });
  ready.catch(() => undefined);
  const early = ended.then(() => Promise.reject(new Error('it ended')));
  try {
    await Promise.race([ready, early]);
  } finally {
    settled.abort();
    early.catch(() => undefined);
  }
}

function superuser(access: Access, database: string): postgres.Sql {
  return postgres(accessUrl(access, 'superuser', database), {
    max: 2,
    connect_timeout: 5,
    onnotice: () => undefined,
  });
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Everything of the service ends with it; a process that stays would be a fault, and is ended and told. */
async function endLeftOver(pid: number): Promise<void> {
  const gone = () => Promise.resolve(!isThere(pid));
  const patience = { timeoutMs: 5_000, everyMs: 50, signal: new AbortController().signal };
  await waitFor(`the end of process ${pid}`, gone, patience).catch(() => {
    process.kill(pid, 'SIGKILL');
    throw new Error(`process ${pid} of the service outlived it`);
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
