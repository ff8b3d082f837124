import { timingSafeEqual } from 'node:crypto';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { publicHalf } from '@vtb/protocol/messages/sealing.ts';
import { sql } from 'drizzle-orm';
import type { Context, Hono } from 'hono';
import type { Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { notFound } from './access.ts';
import type { ServerEnv } from './mount.ts';

/** What these routes need beside the actions' deps. */
export interface Operations {
  readonly metrics: Registry;
  readonly metricsToken: string | null;
}

/** Longer than this, and the database isn't ready. */
const readyMs = 2_000;

/** Mounts what operators and other programs ask at the root: health, readiness, metrics, public keys. */
export function mountOperations(
  app: Hono<ServerEnv>,
  { metrics, metricsToken }: Operations,
  deps: Deps,
): void {
  app.get('/healthz', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const ready = !deps.stopping.aborted && (await databaseAnswers(deps));
    return context.text(ready ? 'ready\n' : 'not ready\n', ready ? 200 : 503);
  });
  app.get('/metrics', async (context) => {
    if (!mayScrape(context, metricsToken)) throw notFound();
    return context.body(await metrics.metrics(), 200, { 'content-type': metrics.contentType });
  });
  app.get('/.well-known/jwks.json', (context) =>
    context.json({ keys: [publicHalf(deps.keys.token), publicHalf(deps.keys.signing)] }, 200, {
      'cache-control': 'public, max-age=300',
    }),
  );
}

async function databaseAnswers({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), readyMs);
  try {
    return await Promise.race([db.execute(sql`SELECT 1`).then(() => true), late.promise]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** With a token whoever has it; without one this machine alone, and never through a proxy on it. */
function mayScrape(context: Context<ServerEnv>, token: string | null): boolean {
  if (token !== null) {
    const sent = context.req.header('authorization') ?? '';
    return timingSafeEqual(Buffer.from(sha256Hex(sent)), Buffer.from(sha256Hex(`Bearer ${token}`)));
  }
  const address = context.env?.incoming?.socket.remoteAddress ?? '';
  const direct =
    context.req.header('x-forwarded-for') === undefined && context.req.header('forwarded') === undefined;
  return direct && ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(address);
}
