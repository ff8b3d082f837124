import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './account.ts';
import { serverEnvironment } from './cluster.ts';

/** What one start of the server needs. */
export interface PostmasterInput {
  readonly program: string;
  readonly cluster: string;
  readonly port: number;
  readonly account: Account;
  readonly settings: Readonly<Record<string, string>>;
}

/** A running server process. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves when the process is gone, however it went. */
  readonly gone: Promise<void>;
}

/** The server ended before it was ready; `log` holds the end of what it said. */
export class StartFailure extends Error {
  readonly log: string;
  constructor(log: string) {
    super(`Postgres did not start: ${log.trim().split('\n').slice(-6).join(' | ')}`);
    this.name = 'StartFailure';
    this.log = log;
  }
  get portTaken(): boolean {
    return this.log.includes('Address already in use');
  }
}

/**
 * Starts the server once and waits until it takes connections.
 *
 * Where setpriv is present the kernel interrupts the server when this process dies, however it dies; elsewhere
 * the next start ends the orphan (endOrphan). Only loopback TCP is served: every client (postgres.js, pg-boss,
 * drizzle) takes such a URL, and socket paths, bounded at 107 bytes, need no folder. Failing statements are not
 * logged, because their values may be task text.
 *
 * throws  StartFailure when it ends or isn't ready within two minutes (a crash recovery may take a while).
 */
export async function startPostmaster(input: PostmasterInput, signal: AbortSignal): Promise<Postmaster> {
  const command = withParentDeath([input.program, '-D', input.cluster, ...flags(input)]);
  const child = spawn(command.file, command.args, {
    ...input.account,
    cwd: '/',
    env: serverEnvironment,
    // A session of its own: the terminal's Ctrl-C must not end it before its clients.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const tail = keepTail(child);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let running = true;
  void gone.then(() => {
    running = false;
  });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(120_000)]);
  while (!(await isReady(input.cluster, child.pid))) {
    if (!running) throw new StartFailure(tail());
    if (deadline.aborted) {
      if (child.pid !== undefined) await endPostmaster({ pid: child.pid, gone });
      throw new StartFailure(`${tail()}\nstopped while starting`);
    }
    await delay(15);
  }
  if (child.pid === undefined) throw new StartFailure(tail());
  // The server must not keep a finished program alive: whoever started it stops it, or the kernel does.
  child.unref();
  return { pid: child.pid, gone };
}

/** Ends a server: fast shutdown, then immediate, then by force. Returns when it is gone. */
export async function endPostmaster(server: Postmaster): Promise<void> {
  const steps: readonly (readonly [NodeJS.Signals, number])[] = [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ];
  for (const [signal, waitMs] of steps) {
    if (!kill(server.pid, signal)) return;
    const patience = new AbortController();
    const ended = await Promise.race([
      server.gone.then(() => true),
      delay(waitMs, false, { signal: patience.signal }).catch(() => false),
    ]);
    patience.abort();
    if (ended) return;
  }
  throw new Error(`Postgres (pid ${server.pid}) survived SIGKILL`);
}

/**
 * Ends a server that a killed process left behind in this cluster.
 *
 * Call it only while holding the data folder: then nobody alive owns that server. It is recognised by its
 * working folder, so a process that merely got the same number is never touched.
 */
export async function endOrphan(cluster: string): Promise<void> {
  const pid = Number((await readLines(cluster))[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !(await worksIn(pid, cluster))) return;
  const watching = new AbortController();
  const gone = (async () => {
    while (!watching.signal.aborted && (await worksIn(pid, cluster))) await delay(25);
  })();
  try {
    await endPostmaster({ pid, gone });
  } finally {
    watching.abort();
  }
}

function flags(input: PostmasterInput): string[] {
  const settings = {
    port: String(input.port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    timezone: 'UTC',
    ...input.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function withParentDeath(command: readonly string[]): { readonly file: string; readonly args: string[] } {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  const [file = '', ...args] = command;
  return setpriv === undefined
    ? { file, args }
    : { file: setpriv, args: ['--pdeathsig', 'INT', file, ...args] };
}

/** Keeps the last 8 KiB of what the server says: enough for its last words, bounded for a long life. */
function keepTail(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-8192);
  });
  const stream = child.stderr;
  if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  child.once('error', (error) => {
    tail += error.message;
  });
  return () => tail;
}

async function isReady(cluster: string, pid: number | undefined): Promise<boolean> {
  const lines = await readLines(cluster);
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

async function readLines(cluster: string): Promise<string[]> {
  try {
    return (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
  } catch {
    return [];
  }
}

async function worksIn(pid: number, cluster: string): Promise<boolean> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === cluster;
  } catch {
    return false;
  }
}

function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
