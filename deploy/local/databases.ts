import { existsSync } from 'node:fs';
import { startEmbedded } from '@vtb/db/embedded.ts';
import { type GivenDatabases, inData, type LocalConfig } from './config.ts';
import { log } from './log.ts';

/** The databases that serve, and whether they were made just now. */
export interface Databases extends AsyncDisposable {
  readonly urls: GivenDatabases;
  readonly isNew: boolean;
  /** Resolves when the embedded server is lost for good. */
  readonly failed: Promise<Error>;
}

/** The operator's databases, or the embedded server on the data folder. */
export async function openDatabases(config: LocalConfig, signal: AbortSignal): Promise<Databases> {
  if (config.databases !== undefined) {
    const never = new Promise<Error>(() => undefined);
    return {
      urls: config.databases,
      isNew: false,
      failed: never,
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  const dataDir = inData(config, 'postgres');
  const isNew = !existsSync(dataDir);
  const server = await startEmbedded({ dataDir, signal: new AbortController().signal });
  if (signal.aborted) {
    await server.stop();
    throw signal.reason;
  }
  log('database', { embedded: true, pid: server.pid(), isNew });
  return { urls: server.urls, isNew, failed: server.failed, [Symbol.asyncDispose]: () => server.stop() };
}
