import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { placeQueue } from '../engines/serving/placeQueue.ts';
import { duplicateKeys } from './duplicateKeys.ts';
import { isUsageEvent } from './engineAnswer.ts';
import type { EngineCall } from './engineCall.ts';
import type { ProxyConfig } from './proxyProtocol.ts';
import { type BodyBudget, readBody } from './readBody.ts';
import { type RebuiltRequest, rebuildRequest } from './rebuildRequest.ts';
import { problem, problemBody, type RequestProblem } from './requestProblem.ts';
import type { OpenTrial, TrialTable } from './trialTable.ts';

/**
 * The only door to the model: `POST /v1/chat/completions` and `GET /v1/models`, for open trials' tokens.
 *
 * In this order: path, token, body within bounds, JSON without duplicate keys, rebuilt fields, a place in line,
 * a turn. Everything before the turn costs none; from there on exactly one usage record follows, and it is written
 * before the answer ends.
 *
 * Answers: 400 with every problem · 401 unknown token · 403 no turns left · 404 any other path · 413 body too large ·
 * 429 line full · 502 the engine failed · 504 it took too long.
 */
export function modelDoor(
  config: Pick<ProxyConfig, 'settings' | 'limits'>,
  deps: { readonly trials: TrialTable; readonly call: EngineCall },
): Server {
  const { limits } = config;
  const budget: BodyBudget = {
    pendingBytes: 0,
    pendingBytesMax: limits.pendingBytesMax,
    bodyBytesMax: limits.bodyBytesMax,
  };
  const places = placeQueue(limits.concurrencyMax, limits.waitingMax);

  const server = createServer(
    { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 60_000 },
    (req, res) => {
      handle(req, res).catch(() => refuse(res, 500, 'internal', 'the proxy failed'));
    },
  );
  server.maxConnections = limits.connectionsMax;
  return server;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const route = `${req.method} ${req.url}`;
    const isModels = route === 'GET /v1/models';
    // The raw path, compared as it came: nothing is normalised, so `/v1/../x` is just unknown.
    if (!isModels && route !== 'POST /v1/chat/completions') {
      return refuse(res, 404, 'not_found', 'only POST /v1/chat/completions and GET /v1/models are served');
    }
    const trial = deps.trials.find(bearer(req));
    if (trial === null) return refuse(res, 401, 'invalid_api_key', 'the token is not one of an open trial');
    if (isModels) return reply(res, 200, modelList(config.settings.model));
    const parsed = await readRequest(req, trial);
    if (parsed.kind === 'status') {
      trial.refuse();
      return refuse(res, parsed.status, parsed.code, parsed.message);
    }
    if (parsed.kind === 'problems') {
      trial.refuse();
      return reply(res, 400, problemBody(parsed.problems));
    }
    await admit(res, trial, parsed.body);
  }

  async function readRequest(req: IncomingMessage, trial: OpenTrial) {
    if (req.headers['content-encoding'] !== undefined)
      return status(415, 'unsupported_encoding', 'send the body uncompressed');
    const outcome = await readBody(req, budget);
    switch (outcome.kind) {
      case 'tooLarge':
        return status(413, 'too_large', `a request has at most ${limits.bodyBytesMax} bytes`);
      case 'busy':
      case 'aborted':
        return status(429, 'busy', 'too many large requests at once; try again');
      case 'body':
        try {
          return parseBody(outcome.bytes, trial);
        } finally {
          outcome.release();
        }
    }
  }

  function parseBody(bytes: Buffer, trial: OpenTrial): ParsedBody {
    let text: string;
    let value: unknown;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      value = JSON.parse(text);
    } catch {
      return {
        kind: 'problems',
        problems: [problem('body', bytes.length, 'must be JSON in UTF-8 (value: its bytes)')],
      };
    }
    const duplicates = duplicateKeys(text).map((field) =>
      problem(field, '…', 'is given twice in one object'),
    );
    // The turn isn't known before admission; its seed is put in there.
    const settings = {
      ...config.settings,
      outputTokensMax: Math.min(config.settings.outputTokensMax, trial.outputTokensMax),
    };
    const outcome = rebuildRequest(value, settings, { trialSeed: trial.seed, seed: trial.seed });
    const problems = [...duplicates, ...(outcome.kind === 'refused' ? outcome.problems : [])];
    return outcome.kind === 'refused' || problems.length > 0
      ? { kind: 'problems', problems }
      : { kind: 'request', body: outcome.request };
  }

  async function admit(res: ServerResponse, trial: OpenTrial, rebuilt: RebuiltRequest): Promise<void> {
    const left = new AbortController();
    const onClose = () => {
      if (!res.writableFinished) left.abort();
    };
    res.once('close', onClose);
    if (res.destroyed) return;
    const gone = AbortSignal.any([left.signal, trial.closing]);
    const place = places.enter(gone);
    if (place === null) return refuse(res, 429, 'busy', 'too many requests are waiting; try again');
    const admission = trial.admit();
    if (admission.kind !== 'turn') {
      place.then((leave) => leave()).catch(() => {});
      if (admission.kind === 'closed') return refuse(res, 401, 'invalid_api_key', 'the trial is closed');
      return refuse(res, 403, 'turns_exhausted', `the trial has used its ${admission.turnsMax} turns`);
    }
    await work(res, { trial, rebuilt, turn: admission.turn, gone, place, abandon: () => left.abort() });
  }

  async function work(res: ServerResponse, turn: Turn): Promise<void> {
    const startedMs = performance.now();
    const leave = await turn.place.catch(() => () => {});
    const body = { ...turn.rebuilt.body, seed: (turn.trial.seed + turn.turn) % 2 ** 32 };
    const end = await deps
      .call({ body, gone: turn.gone, onEvent: (data) => relay(res, turn, data) })
      .finally(leave);
    turn.trial.record({
      trial: turn.trial.name,
      turn: turn.turn,
      ...end.counts,
      outcome: end.outcome,
      durationMs: performance.now() - startedMs,
    });
    if (res.destroyed) return;
    if (res.headersSent) {
      res.end();
      return;
    }
    switch (end.outcome) {
      case 'answered':
      case 'refused':
        res.writeHead(end.status ?? 502, { 'content-type': 'application/json' }).end(end.whole ?? '');
        return;
      case 'timeout':
        return refuse(res, 504, 'timeout', 'the model took too long');
      case 'aborted':
      case 'failed':
        return refuse(res, 502, 'engine_failed', 'the model gave no answer');
    }
  }

  function relay(res: ServerResponse, turn: Turn, data: string): void {
    if (res.destroyed) return;
    if (!turn.rebuilt.showsUsage && data.includes('"usage"') && isUsageEvent(data)) return;
    if (!res.headersSent)
      res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    res.write(`data: ${data}\n\n`);
    // A reader that doesn't read must not fill our memory: it counts as gone.
    if (res.writableLength > limits.answerBytesMax) {
      turn.abandon();
      res.destroy();
    }
  }
}

type ParsedBody =
  | { readonly kind: 'request'; readonly body: RebuiltRequest }
  | { readonly kind: 'problems'; readonly problems: readonly RequestProblem[] };

type Turn = {
  readonly trial: OpenTrial;
  readonly rebuilt: RebuiltRequest;
  readonly turn: number;
  readonly gone: AbortSignal;
  readonly place: Promise<() => void>;
  readonly abandon: () => void;
};

function status(code: number, name: string, message: string) {
  return { kind: 'status', status: code, code: name, message } as const;
}

function bearer(req: IncomingMessage): string {
  return /^Bearer ([\x21-\x7e]{16,200})$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
}

function modelList(model: string) {
  return { object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'track' }] };
}

function reply(res: ServerResponse, code: number, body: unknown): void {
  if (res.headersSent || res.destroyed) return;
  // An unread body would be taken for the next request's; closing is cheaper than reading it.
  const close = res.req.complete ? {} : { connection: 'close' };
  res.writeHead(code, { 'content-type': 'application/json', ...close }).end(JSON.stringify(body));
}

function refuse(res: ServerResponse, code: number, name: string, message: string): void {
  reply(res, code, { error: { message, type: 'invalid_request_error', param: null, code: name } });
}
