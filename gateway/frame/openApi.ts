import { extendZodWithOpenApi, OpenAPIHono } from '@hono/zod-openapi';
import { problemDocumentSchema } from '@vtb/protocol/wire/problem.ts';
import { z } from 'zod';
import { nothing, type Route, stream } from './route.ts';

extendZodWithOpenApi(z);

/** The OpenAPI 3.1 document of a route table. */
export function openApi(routes: readonly Route[], prefix: string) {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  for (const route of routes) app.openAPIRegistry.registerPath(describe(route, prefix));
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'VibeTraining-Bench',
      version: '1',
      description: 'Errors are problem documents (RFC 9457) with a stable code.',
    },
    servers: [{ url: '/' }],
  });
}

type Described = Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0];

function describe(route: Route, prefix: string): Described {
  const names = [...route.path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? []);
  const params = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  const isPublic = route.roles.includes('visitor');
  const rule = [
    `For: ${route.roles.join(', ')}.`,
    route.scope === null ? '' : `Scope: ${route.scope}.`,
    `${route.limits.perMinute} calls a minute.`,
  ];
  return {
    method: route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete',
    path: prefix + route.path.replaceAll(/:(\w+)/g, '{$1}'),
    summary: route.summary,
    description: rule.filter((part) => part !== '').join(' '),
    security: isPublic ? [] : [{ token: [] }],
    request: {
      ...(names.length === 0 ? {} : { params }),
      ...(route.creates ? { headers: z.object({ 'idempotency-key': z.string() }) } : {}),
      ...requestBody(route),
    },
    responses: {
      ...success(route),
      default: {
        description: 'A refusal',
        content: { 'application/problem+json': { schema: problemDocumentSchema } },
      },
    },
  };
}

function requestBody(route: Route): Pick<NonNullable<Described['request']>, 'body'> {
  if (route.streams) return { body: { content: { 'application/octet-stream': { schema: z.string() } } } };
  if (route.body === nothing) return {};
  return { body: { required: true, content: { 'application/json': { schema: route.body } } } };
}

function success(route: Route): Described['responses'] {
  if (route.reply === stream) return { 200: { description: 'A stream' } };
  if (route.reply === nothing) return { 204: { description: 'Done' } };
  return {
    [route.creates ? 201 : 200]: {
      description: 'Done',
      content: { 'application/json': { schema: route.reply } },
    },
  };
}
