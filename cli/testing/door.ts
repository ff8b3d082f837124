import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';

/** What a test does with a request before the app has it: pass it on, break its connection, or keep it waiting. */
export type Treatment = 'pass' | 'break' | 'hold';

/** A public door to an app, on a port of its own. */
export interface Door extends AsyncDisposable {
  readonly url: string;
  /** Method and path of every request that came, in order. */
  readonly requests: string[];
  /** Decides about each; passes everything at first. */
  treat: (request: string) => Treatment;
}

/** For tests: serves an app as the gateway does, through a network that can be bad. */
export async function openDoor(fetch: (request: Request) => Response | Promise<Response>): Promise<Door> {
  const pass = getRequestListener(fetch);
  const door = { requests: [] as string[], treat: (_request: string): Treatment => 'pass' };
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`;
    door.requests.push(name);
    const treatment = door.treat(name);
    if (treatment === 'break') request.socket.destroy();
    else if (treatment === 'pass') void pass(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(door, {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
