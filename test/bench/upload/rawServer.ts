/**
 * The peer of a verified upload: the same server library on the same disk takes a PUT and keeps its bytes as durably as
 * the gateway does, and does nothing else: no token, no database, no digest. Ends with the process that started it.
 */
import { randomBytes } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

const folder = process.argv[2] ?? '';
const app = new Hono<{ Bindings: { readonly incoming: IncomingMessage } }>();
app.put('/:name', async (context) => {
  const path = join(folder, basename(context.req.param('name')));
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  {
    await using file = await open(temporary, 'wx');
    for await (const part of context.env.incoming) await file.write(part);
    await file.sync();
  }
  await rename(temporary, path);
  await using parent = await open(folder, 'r');
  await parent.sync();
  return context.body(null, 204);
});

const server = createAdaptorServer({ fetch: app.fetch });
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on('disconnect', () => process.exit(0));
