import { serve } from '@hono/node-server';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { reportSchema } from '@vtb/protocol/messages/report.ts';
import type { TrustedKeys } from '@vtb/protocol/messages/sealing.ts';
import { Hono } from 'hono';
import { decodeJwt, importJWK, jwtVerify } from 'jose';

/** The airlock of a gateway over HTTP, as the courier meets it: tokens checked, everything may come twice. */
export interface TestGateway {
  readonly url: string;
  readonly feed: { number: number; kind: 'order' | 'cancel' | 'checkpoint'; jws: string }[];
  /** Chunks by order; an order that is not here is closed. */
  readonly chunks: Map<string, ReadonlyMap<string, Uint8Array>>;
  readonly reports: Map<string, { report: string; maintainers: string }>;
  readonly attachments: Map<string, Uint8Array>;
  readonly notices: Set<string>;
  readonly comparisons: Set<string>;
  /** Every request's method and path, in order. */
  readonly asked: string[];
  /** Decides what becomes of a request before it is worked; a response is sent as it is. */
  intercept: (path: string) => Response | undefined | Promise<Response | undefined>;
  close(): Promise<void>;
}

/** Opens a gateway's airlock on a free port of loopback. */
export async function testGateway(courierKeys: TrustedKeys): Promise<TestGateway> {
  const app = new Hono().basePath('/api/v1/airlock');
  const gateway: Omit<TestGateway, 'url' | 'close'> = {
    feed: [],
    chunks: new Map(),
    reports: new Map(),
    attachments: new Map(),
    notices: new Set(),
    comparisons: new Set(),
    asked: [],
    intercept: () => undefined,
  };
  app.use(async (c, next) => {
    const token = c.req.header('authorization')?.slice('Bearer '.length) ?? '';
    const options = {
      algorithms: ['EdDSA'],
      audience: 'vtb-airlock',
      typ: 'vtb-courier+jwt',
      requiredClaims: ['exp', 'iat'],
      maxTokenAge: 300,
    };
    const key = ({ kid = '' }) => importJWK(courierKeys[kid] ?? {}, 'EdDSA');
    const good = await jwtVerify(token, key, options).then(
      () => true,
      () => false,
    );
    if (!good) return c.json({ code: 'token.invalid' }, 401);
    gateway.asked.push(`${c.req.method} ${c.req.path.slice('/api/v1/airlock'.length)}`);
    const instead = await gateway.intercept(c.req.path);
    if (instead !== undefined) return instead;
    return next();
  });
  app.get('/feed', (c) =>
    c.json({
      items: gateway.feed.filter(({ number }) => number > Number(c.req.query('after'))).slice(0, 100),
    }),
  );
  app.get('/orders/:id/chunks/:sha256', (c) => {
    const bytes = gateway.chunks.get(c.req.param('id'))?.get(c.req.param('sha256'));
    return bytes === undefined ? c.json({ code: 'notFound' }, 404) : c.body(Uint8Array.from(bytes).buffer);
  });
  app.post('/reports', async (c) => {
    const envelope = await c.req.json();
    const { id } = reportSchema.parse(decodeJwt(envelope.report));
    const before = gateway.reports.get(id);
    if (before !== undefined && before.report !== envelope.report)
      return c.json({ code: 'message.conflict' }, 409);
    gateway.reports.set(id, envelope);
    return c.json({ accepted: true, again: before !== undefined });
  });
  app.put('/reports/:id/attachments/:sha256', async (c) => {
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (sha256Hex(bytes) !== c.req.param('sha256') || !gateway.reports.has(c.req.param('id')))
      return c.json({ code: 'chunk.mismatch' }, 422);
    gateway.attachments.set(c.req.param('sha256'), bytes);
    return c.json({ accepted: true, again: false });
  });
  app.post('/comparisons', async (c) => {
    const { comparison } = await c.req.json();
    const again = gateway.comparisons.has(comparison);
    gateway.comparisons.add(comparison);
    return c.json({ accepted: true, again });
  });
  app.post('/notices', async (c) => {
    const { notice } = await c.req.json();
    const again = gateway.notices.has(notice);
    gateway.notices.add(notice);
    return c.json({ accepted: true, again });
  });
  const { server, port } = await new Promise<{ server: ReturnType<typeof serve>; port: number }>(
    (resolve) => {
      const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info) =>
        resolve({ server, port: info.port }),
      );
    },
  );
  return Object.assign(gateway, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
