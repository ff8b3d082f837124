import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { completionBody, completionChunk, usageBody } from './completionBodies.ts';
import { type EngineRequest, engineRequest } from './engineRequest.ts';
import {
  type GenerationEnd,
  GenerationFailed,
  type GenerationUsage,
  type Generator,
  PromptTooLong,
} from './generator.ts';
import { placeQueue } from './placeQueue.ts';

/** The header by which a caller names a request, so that it can cancel it. */
export const requestIdHeader = 'x-request-id';

/**
 * An engine's HTTP: `POST /v1/chat/completions`, `DELETE /v1/requests/:id`, `GET /health`, `GET /counters`.
 *
 * A cancelled request isn't cut off: it ends soon, in order, with finish_reason `abort` and its exact usage.
 * A caller that disconnects cancels its request.
 */
export function completionApp(
  generator: Generator,
  settings: { readonly concurrencyMax: number; readonly queueMax: number },
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const places = placeQueue(settings.concurrencyMax, settings.queueMax);
  const open = new Map<string, AbortController>();
  const totals = { requests: 0, promptTokens: 0, generatedTokens: 0 };

  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/counters', (c) => c.json({ ...totals, running: places.running(), waiting: places.waiting() }));
  app.delete('/v1/requests/:id', (c) => {
    open.get(c.req.param('id'))?.abort();
    return c.body(null, 204);
  });
  app.post('/v1/chat/completions', async (c) => {
    const parsed = engineRequest.safeParse(await c.req.json().catch(() => null));
    if (!parsed.success)
      return c.json(errorBody('invalid_request', parsed.error.issues.map(issueText).join('; ')), 400);
    const request = parsed.data;
    const cancel = new AbortController();
    const place = places.enter(cancel.signal);
    if (place === null)
      return c.json(errorBody('overloaded', `${settings.queueMax} requests are waiting already`), 503);
    const id = c.req.header(requestIdHeader) ?? crypto.randomUUID();
    open.set(id, cancel);
    c.env.outgoing.once('close', () => {
      if (!c.env.outgoing.writableFinished) cancel.abort();
    });
    const count = (usage: GenerationUsage) => {
      totals.requests += 1;
      totals.promptTokens += usage.promptTokens;
      totals.generatedTokens += usage.generatedTokens;
    };
    const work: Work = async (onText) => {
      try {
        const end = await run(generator, request, place, onText, cancel.signal);
        count(end.usage);
        return end;
      } catch (error) {
        if (error instanceof GenerationFailed) count(error.usage);
        throw error;
      } finally {
        open.delete(id);
      }
    };
    return request.stream ? streamed(id, request, work) : whole(id, request, work);
  });
  return app;
}

type Work = (onText: (text: string) => void) => Promise<GenerationEnd>;

async function run(
  generator: Generator,
  request: EngineRequest,
  place: Promise<() => void>,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<GenerationEnd> {
  let leave: () => void;
  try {
    leave = await place;
  } catch {
    return cancelledInLine;
  }
  try {
    return signal.aborted ? cancelledInLine : await generator.generate(request, onText, signal);
  } finally {
    leave();
  }
}

const cancelledInLine: GenerationEnd = {
  finish: 'abort',
  usage: { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 },
};

async function whole(id: string, request: EngineRequest, work: Work): Promise<Response> {
  const texts: string[] = [];
  try {
    const end = await work((text) => texts.push(text));
    return Response.json(completionBody({ id, model: request.model, text: texts.join(''), end }));
  } catch (error) {
    return failureReply(error);
  }
}

/** Waits for the first piece before it answers, so that a failure before it has a status of its own. */
async function streamed(id: string, request: EngineRequest, work: Work): Promise<Response> {
  const encoder = new TextEncoder();
  const base = { id, model: request.model };
  const events = new TransformStream<string, Uint8Array>(
    { transform: (data, controller) => controller.enqueue(encoder.encode(`data: ${data}\n\n`)) },
    // Bounded by the request's own token limit; a slow reader must not hold a place of the engine.
    { highWaterMark: request.max_tokens + 8 },
    { highWaterMark: request.max_tokens + 8 },
  );
  const writer = events.writable.getWriter();
  const send = (data: unknown) => {
    // A reader that left makes writes fail; its request ends by its cancel and is counted all the same.
    writer.write(typeof data === 'string' ? data : JSON.stringify(data)).catch(() => {});
  };
  const { promise: firstPiece, resolve: onFirstPiece } = Promise.withResolvers<null>();
  const ended = work((text) => {
    if (text === '') return;
    onFirstPiece(null);
    send(completionChunk({ ...base, delta: { content: text }, finish: null }));
  });
  send(completionChunk({ ...base, delta: { role: 'assistant', content: '' }, finish: null }));
  try {
    await Promise.race([firstPiece, ended]);
  } catch (error) {
    return failureReply(error);
  }
  ended
    .then((end) => {
      send(completionChunk({ ...base, delta: {}, finish: end.finish }));
      if (request.stream_options !== undefined) {
        send({
          ...completionChunk({ ...base, delta: {}, finish: null }),
          choices: [],
          usage: usageBody(end.usage),
        });
      }
      send('[DONE]');
    })
    // No [DONE] after a failure: a reader must not take the beginning for the whole.
    .catch((error) => send(failureBody(error)))
    .finally(() => {
      writer.close().catch(() => {});
    });
  return new Response(events.readable, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}

function failureReply(error: unknown): Response {
  return Response.json(failureBody(error), { status: error instanceof PromptTooLong ? 400 : 500 });
}

function errorBody(code: string, message: string) {
  return { error: { type: 'invalid_request_error', code, message, param: null } };
}

function failureBody(error: unknown) {
  if (error instanceof PromptTooLong) {
    return {
      ...errorBody('context_length_exceeded', error.message),
      usage: usageBody(cancelledInLine.usage),
    };
  }
  const body = {
    error: { type: 'server_error', code: 'generation_failed', message: 'generation failed', param: null },
  };
  return error instanceof GenerationFailed ? { ...body, usage: usageBody(error.usage) } : body;
}

function issueText(issue: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return `${issue.path.map(String).join('.')}: ${issue.message}`;
}
