import { Refusal } from '@vtb/protocol/errors.ts';
import { Hono } from 'hono';
import { routes } from './app.ts';
import type { Deps } from './deps.ts';
import { notFound } from './frame/access.ts';
import { mount, newRequestId, type ServerEnv } from './frame/mount.ts';
import { problemDocument, problemResponse } from './frame/problem.ts';
import { newRateLimits } from './frame/rateLimits.ts';
import { securityHeaders } from './frame/securityHeaders.ts';

/** Where the table's routes are. */
export const apiPrefix = '/api/v1';

/** The gateway as one Hono app: the table's routes, one error handler, and problem documents for unknown addresses. */
export function createApp(deps: Deps): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  app.use(async (context, next) => {
    context.set('requestId', newRequestId(deps));
    await next();
    for (const [name, value] of Object.entries(securityHeaders))
      if (!context.res.headers.has(name)) context.header(name, value);
    context.header('x-request-id', context.get('requestId'));
  });
  const within = newRateLimits();
  for (const line of routes) mount(app, apiPrefix, line, deps, within);
  app.notFound((context) => problemResponse(problemDocument(notFound(), context.get('requestId'))));
  app.onError((error, context) => {
    const requestId = context.get('requestId');
    if (!(error instanceof Refusal))
      deps.log('bug', { requestId, method: context.req.method, error: String(error.stack ?? error) });
    return problemResponse(problemDocument(error, requestId));
  });
  return app;
}
