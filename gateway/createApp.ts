import { Refusal } from '@vtb/protocol/errors.ts';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { routes } from './app.ts';
import type { ServeCliBundle } from './cliBundle.ts';
import type { Deps } from './deps.ts';
import { notFound } from './frame/access.ts';
import { apiPage } from './frame/apiPage.ts';
import { newMetrics } from './frame/metrics.ts';
import { mount, newRequestId, type ServerEnv } from './frame/mount.ts';
import { openApi } from './frame/openApi.ts';
import { mountOperations } from './frame/operations.ts';
import { problemDocument, problemResponse } from './frame/problem.ts';
import { newRateLimits } from './frame/rateLimits.ts';
import { securityHeaders } from './frame/securityHeaders.ts';

/** Where the table's routes are. */
export const apiPrefix = '/api/v1';

/** What the app serves beside its table. */
export interface AppOptions {
  readonly metricsToken: string | null;
  /** Everything that isn't the API's: pages and their files; null where no site is built. */
  readonly site: ((request: Request) => Promise<Response>) | null;
  /** The command line as one file. */
  readonly cliBundle: ServeCliBundle;
}

/** The gateway as one Hono app: the table's routes, the site, one error handler, and problem documents for the rest. */
export function createApp(
  deps: Deps,
  options: AppOptions = { metricsToken: null, site: null, cliBundle: async () => null },
): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const metrics = newMetrics();
  app.use(async (context, next) => {
    const started = performance.now();
    context.set('requestId', newRequestId(deps));
    await next();
    if (context.req.method === 'HEAD') await letGo(context.res);
    for (const [name, value] of Object.entries(securityHeaders)) {
      if (!context.res.headers.has(name)) context.header(name, value);
    }
    context.header('x-request-id', context.get('requestId'));
    const seconds = (performance.now() - started) / 1000;
    metrics.answered({
      method: context.req.method,
      route: routePath(context, -1),
      status: context.res.status,
      seconds,
    });
  });
  const within = newRateLimits();
  for (const line of routes) mount(app, apiPrefix, line, deps, within);
  const described = JSON.stringify(openApi(routes, apiPrefix));
  app.get(`${apiPrefix}/openapi.json`, (context) =>
    context.body(described, 200, { 'content-type': 'application/json' }),
  );
  app.get('/api', (context) => context.html(apiPage(routes, apiPrefix)));
  mountOperations(app, { metrics: metrics.registry, metricsToken: options.metricsToken }, deps);
  app.get('/vtb.mjs', async (context) => {
    const file = await options.cliBundle(context.req.header('if-none-match'));
    if (file === null) throw notFound();
    return file;
  });
  const { site } = options;
  app.notFound(async (context) => {
    const isPage = site !== null && !context.req.path.startsWith('/api/');
    return isPage
      ? site(context.req.raw)
      : problemResponse(problemDocument(notFound(), context.get('requestId')));
  });
  app.onError((error, context) => {
    const requestId = context.get('requestId');
    if (!(error instanceof Refusal)) {
      deps.log('bug', { requestId, method: context.req.method, error: String(error.stack ?? error) });
    }
    return problemResponse(problemDocument(error, requestId));
  });
  return app;
}

/** Ends what stands behind an answer that nobody reads: an open file, a place among the followers. */
async function letGo(response: Response): Promise<void> {
  await response.body?.cancel();
}
