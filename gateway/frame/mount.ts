/**
 * Theory of operation. A call passes, in this order: the address's rate, the token, the token's rate, the table's roles
 * and scope, the body's bound and schema, the idempotency key, the action. Everything that changes state runs in one
 * transaction with its audit line and its kept answer, so a call that fails half way has done nothing.
 */
import { Readable } from 'node:stream';
import type { Db } from '@vtb/db/public/connect.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { newId } from '@vtb/protocol/ids.ts';
import type { Context, Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { actorOf, type Caller } from '../identity/caller.ts';
import { identify } from '../identity/identify.ts';
import { admit } from './access.ts';
import { answerOnce } from './idempotent.ts';
import type { RateLimits } from './rateLimits.ts';
import { readJson } from './readJson.ts';
import type { Call, RawRequest, Route } from './route.ts';

/** What Node's server hands over beside the request; absent when a test calls the app directly. */
export interface ServerEnv {
  readonly Bindings: {
    readonly incoming?: { readonly socket: { readonly remoteAddress?: string | undefined } } & Readable;
  };
  readonly Variables: { requestId: string };
}

/** By one address, with or without tokens: uploads of many small chunks are the busiest honest use. */
const callsPerAddressPerMinute = 20_000;

/** Mounts a line of the table. */
export function mount(
  app: Hono<ServerEnv>,
  prefix: string,
  route: Route,
  deps: Deps,
  within: RateLimits,
): void {
  app.on(route.method, prefix + route.path, async (context) => {
    const at = deps.now();
    const address = context.env?.incoming?.socket.remoteAddress ?? 'local';
    slowDown(
      within({ key: `address ${address}`, perMinute: callsPerAddressPerMinute, atMs: performance.now() }),
    );
    const caller = await identify({ authorization: context.req.header('authorization'), at }, deps);
    const who = caller.kind === 'person' ? caller.jti : `${caller.kind} ${address}`;
    slowDown(
      within({
        key: `${route.method} ${route.path} ${who}`,
        perMinute: route.limits.perMinute,
        atMs: performance.now(),
      }),
    );
    const subject = await admit({ route, caller, id: context.req.param('id'), at }, deps.db);
    const body = route.streams
      ? { text: '', value: null }
      : await readJson(context.req.raw, route.limits.bodyBytesMax);
    const call: Call<unknown> = {
      caller,
      params: context.req.param(),
      query: new URL(context.req.url).searchParams,
      body: body.value,
      subject,
      // After the body came: an instant that counts can't lie before what it is about was decided.
      at: deps.now(),
      requestId: context.get('requestId'),
      raw: rawRequest(context),
    };
    return respond(context, route, await perform({ route, call, text: body.text, caller }, context, deps));
  });
}

/** A new request id. */
export function newRequestId(deps: Pick<Deps, 'random'>): string {
  return newId('request', deps.random(20));
}

interface Performance {
  readonly route: Route;
  readonly call: Call<unknown>;
  readonly text: string;
  readonly caller: Caller;
}

async function perform(
  { route, call, text, caller }: Performance,
  context: Context<ServerEnv>,
  deps: Deps,
): Promise<unknown> {
  if (route.method === 'GET' || route.streams) return route.run(call, deps, deps.db);
  return deps.db.transaction(async (tx: Db) => {
    if (!route.creates) return route.run(call, deps, tx);
    const request = sha256Hex(
      `${route.method} ${new URL(context.req.url).pathname}\n${rightsOf(caller)}\n${text}`,
    );
    const key = context.req.header('idempotency-key');
    return answerOnce(
      { actor: actorOf(caller), key, request, at: call.at, act: () => route.run(call, deps, tx) },
      deps,
      tx,
    );
  });
}

/** What a token is good for: a stored answer, which may hold a token, is only for a caller with the same rights. */
function rightsOf(caller: Caller): string {
  return caller.kind === 'person'
    ? `${caller.team ?? ''} ${[...caller.scopes].sort().join(' ')}`
    : caller.kind;
}

function respond(context: Context<ServerEnv>, route: Route, reply: unknown): Response {
  if (reply instanceof Response) return reply;
  if (reply === null || reply === undefined) return context.body(null, 204);
  const text = JSON.stringify(reply);
  const headers: Record<string, string> = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  if (route.method !== 'GET') return context.body(text, route.creates ? 201 : 200, headers);
  headers['cache-control'] = route.roles.includes('visitor') ? 'public, no-cache' : 'private, no-cache';
  headers.vary = 'authorization';
  headers.etag = `"${sha256Hex(text).slice(0, 32)}"`;
  const known = context.req
    .header('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  return known?.includes(headers.etag) ? context.body(null, 304, headers) : context.body(text, 200, headers);
}

function rawRequest(context: Context<ServerEnv>): RawRequest {
  return {
    header: (name) => context.req.header(name),
    // Node's own stream where there is one: half again as fast as reading it through a web stream.
    bytes: () => context.env?.incoming ?? Readable.from(context.req.raw.body ?? []),
    signal: context.req.raw.signal,
  };
}

function slowDown(isWithin: boolean): void {
  if (!isWithin)
    throw new Refusal('request.rateLimited', 'too many requests in this minute; wait and go on more slowly');
}
