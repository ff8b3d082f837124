/**
 * Theory of operation. `npm start` runs as separate processes on one machine what a deployment runs as separate
 * services: database, gateway with the site, courier, grader, one runner. This supervisor makes what the first
 * start lacks (keys, pins, the site's build), starts them in order, says `ready URL` on stdout and nothing else
 * there, starts again what ends, and stops all of it in the opposite order.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { soleHolder } from '@vtb/db/soleHolder.ts';
import { loadSeasons } from '@vtb/seasons/load.ts';
import { superviseChild } from './child.ts';
import { bundleCli } from './cliBundle.ts';
import { inData, type LocalConfig, parseConfig, publicUrl } from './config.ts';
import { openDatabases } from './databases.ts';
import { enclaveReady } from './enclaveReady.ts';
import { ensureKeys } from './keys.ts';
import { log } from './log.ts';
import { type ProcessName, processes } from './processes.ts';
import { buildSite } from './site.ts';
import { startDemoTeam } from './startDemoTeam.ts';
import { answersOk, waitFor } from './waitFor.ts';

/** A reason not to start that the operator can mend: said as a sentence, without a stack. */
class CannotStart extends Error {}

async function start(config: LocalConfig, signal: AbortSignal): Promise<void> {
  await using open = new AsyncDisposableStack();
  const own = <T extends AsyncDisposable>(resource: T): T => open.use(resource);

  if (config.sandbox === 'docker')
    throw new CannotStart(
      'VTB_SANDBOX=docker: the container sandbox is not part of this version; use auto or none',
    );
  await makeDataFolder(config);
  const hold = await soleHolder(config.dataDir, 'start');
  if (hold === undefined)
    throw new CannotStart(`the service is already running on ${config.dataDir}; stop it first`);
  open.defer(() => hold.release());
  await checkPort(config);
  await checkSeasons(config);
  for (const warning of config.warnings) log('warning', { warning });
  await ensureKeys(config.dataDir);

  const built = Promise.all([
    buildSite(config.root, config.passed).then((fresh) => log('site', { built: fresh })),
    bundleCli(config.root).then((fresh) => log('cliBundle', { built: fresh })),
  ]);
  built.catch(() => undefined);
  const databases = own(await openDatabases(config, signal));
  await rm(inData(config, 'grader', 'desk.url'), { force: true });
  const plan = processes(config, databases.urls);
  await built;
  if (signal.aborted) return;

  const broken = Promise.withResolvers<string>();
  databases.failed.then((error) => broken.resolve(error.message));
  const launch = (name: ProcessName): void => {
    if (signal.aborted) return;
    own(superviseChild(plan[name])).crashLoop.then(broken.resolve);
  };
  launch('gateway');
  launch('grader');
  const url = publicUrl(config);
  const stopWaiting = new AbortController();
  const waiting = { timeoutMs: 120_000, everyMs: 100, signal: AbortSignal.any([signal, stopWaiting.signal]) };
  // Courier and runner have nothing to do before these answer, and would only learn to wait longer.
  const ready = Promise.all([
    waitFor(`${url}/readyz`, () => answersOk(`${url}/readyz`), waiting).then(() => launch('courier')),
    waitFor("the grader's desk", () => enclaveReady(config), waiting).then(() => launch('runner')),
  ]);
  const halted = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined)),
  );
  const outcome = await Promise.race([
    ready.then(() => 'ready' as const),
    halted,
    broken.promise.then((why) => new CannotStart(why)),
  ]);
  stopWaiting.abort();
  ready.catch(() => undefined);
  if (outcome instanceof CannotStart) throw outcome;
  if (outcome === undefined) return;
  process.stdout.write(`ready ${url}\n`);

  if (config.demo === 'auto') {
    const team = await startDemoTeam(config, databases.isNew);
    if (team !== undefined) own(team);
  }
  // After `ready` a child that keeps ending is started again, ever more slowly; only a lost database ends the service.
  const lost = await Promise.race([halted, databases.failed]);
  if (lost !== undefined) throw lost;
}

/** The folder is its owner's; as root others may pass through it, because Postgres runs as somebody else. */
async function makeDataFolder(config: LocalConfig): Promise<void> {
  const isNew = !existsSync(config.dataDir);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  if (isNew) await chmod(config.dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
}

async function checkPort({ host, port }: LocalConfig): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const busy = error.code === 'EADDRINUSE';
      reject(
        new CannotStart(
          busy
            ? `port ${port} on ${host} is taken by another program; stop it, or choose another: PORT=8081 npm start`
            : `cannot listen on ${host}:${port}: ${error.message}`,
        ),
      );
    });
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

async function checkSeasons({ seasonsDir, seasons }: LocalConfig): Promise<void> {
  await loadSeasons(seasonsDir, seasons).catch((cause: Error) => {
    throw new CannotStart(cause.message, { cause });
  });
}

function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = (why: string) => {
    if (!stopping.signal.aborted) log('stopping', { why });
    stopping.abort(new CannotStart('stopped while starting'));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop(name));
  // The boot script holds the other end; when it is killed, nobody could stop us any more.
  if (process.channel !== undefined) process.on('disconnect', () => stop('the boot script is gone'));
  return stopping.signal;
}

const root = dirname(dirname(import.meta.dirname));
const signal = stopSignal();
try {
  await start(configOrRefusal(), signal);
} catch (error) {
  if (signal.aborted) log('stopped', { while: 'starting' });
  else {
    process.stderr.write(
      `${error instanceof CannotStart ? error.message : String((error as Error).stack)}\n`,
    );
    process.exitCode = 1;
  }
}
process.removeAllListeners('disconnect');
if (process.connected) process.disconnect();

function configOrRefusal(): LocalConfig {
  try {
    return parseConfig(root, process.env);
  } catch (cause) {
    throw new CannotStart((cause as Error).message, { cause });
  }
}
