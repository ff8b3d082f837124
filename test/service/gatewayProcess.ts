/**
 * Theory of operation. Tests and benchmarks of uploads need the gateway as a process, to kill it and to measure it, on a
 * real database and disk, and nothing of the enclave. This is that: an embedded Postgres of this process, and
 * `gateway/main.ts` on one port, which a restart takes again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '@vtb/db/embedded.ts';
import { ensureKeys } from '@vtb/deploy/local/keys.ts';
import { waitFor } from '@vtb/deploy/local/waitFor.ts';
import { freePort } from './freePort.ts';
import { root } from './service.ts';

/** A gateway that runs alone. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly ownerToken: string;
  /** Its process now. */
  pid(): number;
  log(): Promise<string>;
  /** kill -9, and resolves when it is dead. */
  kill(): Promise<void>;
  /** Starts it again on the same data; resolves when it is ready. */
  start(): Promise<void>;
}

/** Starts it on new data; `env` goes over its defaults. */
export async function startGatewayProcess(
  input: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<GatewayProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vtb-gateway-alone-'));
  // Postgres passes through it.
  await chmod(dataDir, 0o711);
  const stopping = new AbortController();
  const postgres = await startEmbedded({ dataDir: join(dataDir, 'postgres'), signal: stopping.signal });
  await ensureKeys(dataDir);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(dataDir, 'gateway.log');
  const { urls } = postgres;
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    VTB_DATA: dataDir,
    PORT: String(port),
    DATABASE_URL: urls.publicApp,
    DATABASE_OWNER_URL: urls.publicOwner,
    SITE_DATABASE_URL: urls.publicRead,
    VTB_SEASONS: 'pocket',
    VTB_FREE_BYTES_MIN: '0',
    ...input.env,
  };
  const log = () => readFile(logFile, 'utf8');
  let gateway: ChildProcess | undefined;
  const start = async () => {
    await using out = await open(logFile, 'a');
    const child = spawn(process.execPath, [join(root, 'gateway/main.ts')], {
      env,
      stdio: ['ignore', out.fd, out.fd],
    });
    gateway = child;
    const ready = () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => {
          if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`);
          return false;
        },
      );
    const patience = { timeoutMs: 90_000, everyMs: 50, signal: stopping.signal };
    try {
      await waitFor('the gateway', ready, patience);
    } catch (cause) {
      throw new Error(`the gateway did not start:\n${(await log()).slice(-4_000)}`, { cause });
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    if (gateway === undefined || gateway.exitCode !== null || gateway.signalCode !== null) return;
    const ended = once(gateway, 'exit');
    gateway.kill(signal);
    await ended;
  };
  const stop = async () => {
    const late = setTimeout(() => gateway?.kill('SIGKILL'), 20_000);
    await end('SIGTERM');
    clearTimeout(late);
    await postgres.stop();
    stopping.abort();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (cause) {
    await stop();
    throw cause;
  }
  return {
    url,
    dataDir,
    ownerToken: (await readFile(join(dataDir, 'owner.token'), 'utf8')).trim(),
    pid: () => gateway?.pid ?? 0,
    log,
    kill: () => end('SIGKILL'),
    start,
    [Symbol.asyncDispose]: stop,
  };
}
