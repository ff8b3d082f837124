/**
 * Theory of operation. Without a database of the operator's, the service runs the real Postgres server from npm's
 * binaries on a data folder: one server, two databases, a role for each use, random passwords kept 0600 in the
 * folder. The server lives as long as the process that started it: the kernel interrupts it when that process
 * dies (setpriv), and the next start ends what was left where setpriv isn't there. One process holds a data
 * folder at a time. If the server dies meanwhile, it is started again on the same port, so that clients find it.
 */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Access, accessUrl, loadAccess, movePort } from './embedded/access.ts';
import { type Account, serverAccount } from './embedded/account.ts';
import { findBinaries } from './embedded/binaries.ts';
import { ensureCluster } from './embedded/cluster.ts';
import { clusterHome } from './embedded/clusterHome.ts';
import {
  endOrphan,
  endPostmaster,
  type Postmaster,
  type PostmasterInput,
  StartFailure,
  startPostmaster,
} from './embedded/postmaster.ts';
import { provision } from './embedded/provision.ts';
import { soleHolder } from './soleHolder.ts';

/** URLs of the embedded server, one per use. */
export interface EmbeddedUrls {
  readonly publicApp: string;
  readonly publicOwner: string;
  readonly publicRead: string;
  readonly vaultApp: string;
  readonly vaultOwner: string;
}

/** A started server. */
export interface Embedded extends AsyncDisposable {
  readonly urls: EmbeddedUrls;
  readonly access: Access;
  /** The server's process now; another one after a restart. */
  pid(): number;
  /** Resolves with the reason when the server died and could not be started again; never on `stop`. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/** What `startEmbedded` takes. */
export interface EmbeddedInput {
  readonly dataDir: string;
  /** Aborting it stops the server. */
  readonly signal: AbortSignal;
  /** Server settings beside our own, e.g. { fsync: 'off' } for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts Postgres on a data folder, making cluster, databases and roles at the first start.
 *
 * throws  Error when another process holds the folder, or when the server can't be started.
 */
export async function startEmbedded(input: EmbeddedInput): Promise<Embedded> {
  const dataDir = resolve(input.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const hold = await soleHolder(dataDir, 'embedded Postgres');
  if (hold === undefined) throw new Error(`another process runs the embedded Postgres of ${dataDir}`);
  try {
    const running = await open(dataDir, input);
    return supervise(running, input.signal, hold.release);
  } catch (error) {
    await hold.release();
    throw error;
  }
}

interface Running {
  readonly access: Access;
  readonly server: Postmaster;
  restart(signal: AbortSignal): Promise<Postmaster>;
}

async function open(dataDir: string, { settings = {}, signal }: EmbeddedInput): Promise<Running> {
  const account: Account = serverAccount();
  const home = await clusterHome(account, dataDir, '/var/lib');
  const binaries = await findBinaries(account, home);
  let access = await loadAccess(dataDir);
  const cluster = await ensureCluster(home, access, account, binaries);
  const start = (port: number, until: AbortSignal): Promise<Postmaster> => {
    const attempt: PostmasterInput = { program: binaries.postgres, cluster, port, account, settings };
    return startPatiently(attempt, until);
  };
  const server = await start(access.port, signal).catch(async (error: unknown) => {
    if (!(error instanceof StartFailure && error.portTaken)) throw error;
    access = await movePort(dataDir, access);
    return start(access.port, signal);
  });
  try {
    await provision(access);
  } catch (error) {
    await endPostmaster(server);
    throw error;
  }
  const { port } = access;
  return { access, server, restart: (until) => start(port, until) };
}

/**
 * After a kill of the postmaster its backends need a moment to notice, and until then a new one refuses
 * ("pre-existing shared memory block"); a server left by a killed process may itself still be starting or
 * stopping ("lock file already exists"). Both pass. A taken port, on the other hand, is the caller's to judge.
 */
async function startPatiently(input: PostmasterInput, signal: AbortSignal): Promise<Postmaster> {
  const attemptsMax = 20;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await endOrphan(input.cluster);
      return await startPostmaster(input, signal);
    } catch (error) {
      const transient = error instanceof StartFailure && /still in use|already exists/.test(error.log);
      if (!transient || attempt === attemptsMax || signal.aborted) throw error;
      await delay(250);
    }
  }
}

function supervise(running: Running, signal: AbortSignal, release: () => Promise<void>): Embedded {
  let server = running.server;
  const stopping = new AbortController();
  const failed = Promise.withResolvers<Error>();
  const life = (async () => {
    while (!stopping.signal.aborted) {
      await server.gone;
      if (stopping.signal.aborted) return;
      server = await running.restart(stopping.signal);
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) failed.resolve(error instanceof Error ? error : new Error(String(error)));
  });
  let ended: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    ended ??= (async () => {
      stopping.abort();
      await endPostmaster(server);
      await life;
      await release();
    })();
    return ended;
  };
  const onAbort = () => void stop().catch((error: Error) => failed.resolve(error));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const { access } = running;
  return {
    urls: urlsOf(access),
    access,
    pid: () => server.pid,
    failed: failed.promise,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function urlsOf(access: Access): EmbeddedUrls {
  return {
    publicApp: accessUrl(access, 'publicApp', 'vtb_public'),
    publicOwner: accessUrl(access, 'publicOwner', 'vtb_public'),
    publicRead: accessUrl(access, 'publicRead', 'vtb_public'),
    vaultApp: accessUrl(access, 'vaultApp', 'vtb_vault'),
    vaultOwner: accessUrl(access, 'vaultOwner', 'vtb_vault'),
  };
}
