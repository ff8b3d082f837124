import { readFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { getRequestListener } from '@hono/node-server';
import { type DeskDeps, newDesk } from './desk.ts';

/** A desk that listens. */
export interface OpenDesk {
  readonly url: string;
  /** Ends waiting requests, lets running ones answer, and stops listening. */
  close(): Promise<void>;
}

/** Opens the desk on loopback, or with TLS where certificate and key are configured. Port 0 takes a free one. */
export async function openDesk(
  where: {
    readonly host: string;
    readonly port: number;
    readonly tls: { readonly cert: string; readonly key: string } | null;
  },
  deps: Omit<DeskDeps, 'stopping'>,
): Promise<OpenDesk> {
  const stopping = new AbortController();
  const listener = getRequestListener(newDesk({ ...deps, stopping: stopping.signal }).fetch);
  const { tls } = where;
  const server =
    tls === null
      ? createHttp(listener)
      : createHttps(
          { cert: await readFile(tls.cert), key: await readFile(tls.key), minVersion: 'TLSv1.3' },
          listener,
        );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where.port, where.host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : where.port;
  const host = where.host.includes(':') ? `[${where.host}]` : where.host;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host}:${port}`,
    close: async () => {
      stopping.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(cut);
    },
  };
}
