import { sha256Schema } from '@vtb/protocol/digest.ts';
import { Refusal, refusals } from '@vtb/protocol/errors.ts';
import type { TrustedKeys } from '@vtb/protocol/messages/sealing.ts';
import {
  agentDoneSchema,
  artifactBytesMax,
  claimSchema,
  deskBodyBytesMax,
  fencedQuerySchema,
  finishSchema,
  heartbeatSchema,
  leaseRequestSchema,
  putOutcomeSchema,
} from '@vtb/protocol/wire/desk.ts';
import type { ProblemDocument } from '@vtb/protocol/wire/problem.ts';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import type { Enclave } from '../enclave.ts';
import { errorFields } from '../log.ts';
import { unknown } from './held.ts';
import { leaseReplay } from './leaseReplay.ts';
import { readAsset, readChunk } from './readBytes.ts';
import { runnerOf } from './runnerOf.ts';
import { claim, finish, heartbeat } from './workReplay.ts';
import { agentDone, readTask, takeArtifact, takeOutcome } from './workTrial.ts';

type Desk = { Variables: { runner: string } };

/** What the desk needs beside the enclave: the runners' keys as they are now, and the signal that ends waiting. */
export interface DeskDeps {
  readonly enclave: Enclave;
  readonly runnerKeys: () => Promise<TrustedKeys>;
  readonly stopping: AbortSignal;
}

/** The enclave's HTTP for runners (protocol/wire/desk.ts): every route on one screen. */
export function newDesk({ enclave, runnerKeys, stopping }: DeskDeps): Hono<Desk> {
  const app = new Hono<Desk>();
  app.get('/healthz', (c) => c.json({ ok: true }));
  app.use(async (c, next) => {
    c.set('runner', await runnerOf(c.req.header('authorization'), runnerKeys, enclave));
    await next();
  });
  const whose = (c: Context<Desk>) => ({ id: c.req.param('id') ?? '', runner: c.get('runner') });
  const fenced = (c: Context<Desk>) => ({
    ...whose(c),
    fencing: parse(fencedQuerySchema, c.req.query()).fencing,
  });

  app.post('/replays/lease', async (c) => {
    const signal = AbortSignal.any([stopping, c.req.raw.signal]);
    return c.json(await leaseReplay(c.get('runner'), await body(c, leaseRequestSchema), signal, enclave));
  });
  app.post('/replays/:id/heartbeat', async (c) =>
    c.json(await heartbeat(whose(c), await body(c, heartbeatSchema), enclave)),
  );
  app.post('/replays/:id/trials/claim', async (c) =>
    c.json(await claim(whose(c), await body(c, claimSchema), enclave)),
  );
  app.post('/replays/:id/finish', async (c) =>
    c.json(await finish(whose(c), await body(c, finishSchema), enclave)),
  );
  app.get('/replays/:id/chunks/:sha256', async (c) =>
    bytes(c, await readChunk(fenced(c), digest(c), enclave)),
  );
  app.get('/replays/:id/assets/:sha256', async (c) =>
    bytes(c, await readAsset(fenced(c), digest(c), enclave)),
  );
  app.get('/trials/:id/task', async (c) => c.json(await readTask(fenced(c), enclave)));
  app.post('/trials/:id/agent-done', async (c) => {
    const { fencing } = await body(c, agentDoneSchema);
    return c.json(await agentDone({ ...whose(c), fencing }, enclave));
  });
  app.put('/trials/:id/artifacts/:sha256', async (c) =>
    c.json(await takeArtifact(fenced(c), digest(c), await bounded(c, artifactBytesMax), enclave)),
  );
  app.put('/trials/:id/outcome', async (c) => {
    const { fencing, outcome } = await body(c, putOutcomeSchema);
    return c.json(await takeOutcome({ ...whose(c), fencing }, outcome, enclave));
  });

  app.notFound((c) => problem(c, unknown(), enclave));
  app.onError((error, c) => problem(c, error, enclave));
  return app;
}

async function body<T>(c: Context<Desk>, schema: z.ZodType<T>): Promise<T> {
  const text = new TextDecoder().decode(await bounded(c, deskBodyBytesMax));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Refusal('request.invalid', 'the body is not JSON');
  }
  return parse(schema, json);
}

/** Problems name places, never values: an outcome's text is not repeated in an answer or a log. */
function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .slice(0, 50)
    .map(({ code, path, message }) => ({ code: code ?? 'invalid', at: `/${path.join('/')}`, message }));
  throw new Refusal('request.invalid', 'the request does not follow its schema', problems);
}

function digest(c: Context<Desk>): string {
  const parsed = sha256Schema.safeParse(c.req.param('sha256'));
  if (!parsed.success) throw unknown();
  return parsed.data;
}

async function bounded(c: Context<Desk>, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of c.req.raw.body ?? []) {
    size += piece.length;
    if (size > bytesMax) throw new Refusal('request.tooLarge', `the body has more than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function bytes(c: Context<Desk>, content: Uint8Array) {
  return c.body(Uint8Array.from(content).buffer, 200, { 'content-type': 'application/octet-stream' });
}

function problem(c: Context<Desk>, error: unknown, enclave: Enclave) {
  const requestId = enclave.newId('request');
  const refusal = error instanceof Refusal ? error : undefined;
  const code = refusal?.code ?? 'internal';
  const { status, title } = refusals[code];
  if (refusal === undefined)
    enclave.log('error', 'desk.failed', { requestId, path: c.req.routePath, ...errorFields(error) });
  const document: ProblemDocument = {
    type: 'about:blank',
    title,
    status,
    code,
    detail: refusal?.message ?? title,
    requestId,
    problems: [...(refusal?.problems ?? [])],
  };
  return new Response(JSON.stringify(document), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}
