import {
  agentDoneReplySchema,
  type Claim,
  type ClaimReply,
  claimReplySchema,
  type DeskTask,
  deskPaths,
  deskTaskSchema,
  type Finish,
  finishReplySchema,
  type Heartbeat,
  type HeartbeatReply,
  heartbeatReplySchema,
  type LeaseRequest,
  leaseReplySchema,
  outcomeReplySchema,
  type ReplayLease,
  type TrialOutcome,
} from '@vtb/protocol/wire/desk.ts';
import type { z } from 'zod';
import { pause } from '../pause.ts';
import type { DeskAddress } from './deskAddress.ts';
import { DeskRefused, DeskUnreachable, isTransient } from './deskFailure.ts';

/** What names a held replay or trial: its id and the number that came with it. */
export type Held = { readonly id: string; readonly fencing: number };

/**
 * The grader's desk as a runner sees it (protocol/wire/desk.ts).
 *
 * Every call but `heartbeat` is repeated while the desk can't be reached, until `signal` aborts: everything may be
 * sent twice. throws DeskRefused for a refusal, and the signal's reason when it aborts.
 */
export type DeskClient = {
  lease(request: LeaseRequest, signal: AbortSignal): Promise<ReplayLease | null>;
  /** Sent once; throws DeskUnreachable too, because its caller knows how long the lease still lasts. */
  heartbeat(replay: string, body: Heartbeat, timeoutMs: number, signal: AbortSignal): Promise<HeartbeatReply>;
  claim(replay: string, body: Claim, signal: AbortSignal): Promise<ClaimReply>;
  task(trial: Held, signal: AbortSignal): Promise<DeskTask>;
  agentDone(trial: Held, signal: AbortSignal): Promise<void>;
  outcome(trial: Held, outcome: TrialOutcome, signal: AbortSignal): Promise<void>;
  finish(replay: string, body: Finish, signal: AbortSignal): Promise<void>;
  chunk(replay: Held, sha256: string, signal: AbortSignal): Promise<Uint8Array>;
  asset(replay: Held, sha256: string, signal: AbortSignal): Promise<Uint8Array>;
};

const requestTimeoutMs = 30_000;
/** A 16 MiB chunk over a slow link. */
const bytesTimeoutMs = 120_000;
const retryMsMin = 200;
const retryMsMax = 5_000;

/** A client of the desk. */
export function deskClient(deps: {
  readonly address: DeskAddress;
  readonly token: () => Promise<string>;
}): DeskClient {
  const ask = async <T>(schema: z.ZodType<T>, request: DeskRequest, signal: AbortSignal): Promise<T> => {
    const bytes = await send(request, signal, deps);
    return schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  };
  const insist = <T>(schema: z.ZodType<T>, request: Omit<DeskRequest, 'timeoutMs'>, signal: AbortSignal) =>
    repeat(() => ask(schema, { timeoutMs: requestTimeoutMs, ...request }, signal), signal);
  const bytes = (what: string, path: string, signal: AbortSignal) =>
    repeat(() => send({ what, method: 'GET', path, timeoutMs: bytesTimeoutMs }, signal, deps), signal);

  return {
    async lease(body, signal) {
      const timeoutMs = requestTimeoutMs + body.waitSeconds * 1_000;
      const request = { what: 'a lease', method: 'POST', path: deskPaths.lease(), body, timeoutMs } as const;
      return (await repeat(() => ask(leaseReplySchema, request, signal), signal)).replay;
    },
    heartbeat: (replay, body, timeoutMs, signal) =>
      ask(
        heartbeatReplySchema,
        { what: 'a heartbeat', method: 'POST', path: deskPaths.heartbeat(replay), body, timeoutMs },
        signal,
      ),
    claim: (replay, body, signal) =>
      insist(
        claimReplySchema,
        { what: 'a claim', method: 'POST', path: deskPaths.claim(replay), body },
        signal,
      ),
    task: ({ id, fencing }, signal) =>
      insist(deskTaskSchema, { what: 'a task', method: 'GET', path: deskPaths.task(id, fencing) }, signal),
    async agentDone({ id, fencing }, signal) {
      const request = { what: 'agent-done', method: 'POST', path: deskPaths.agentDone(id) } as const;
      await insist(agentDoneReplySchema, { ...request, body: { fencing } }, signal);
    },
    async outcome({ id, fencing }, outcome, signal) {
      const request = { what: 'an outcome', method: 'PUT', path: deskPaths.outcome(id) } as const;
      await insist(outcomeReplySchema, { ...request, body: { fencing, outcome } }, signal);
    },
    async finish(replay, body, signal) {
      const request = { what: 'a finish', method: 'POST', path: deskPaths.finish(replay) } as const;
      await insist(finishReplySchema, { ...request, body }, signal);
    },
    chunk: ({ id, fencing }, sha256, signal) =>
      bytes('a chunk', deskPaths.chunk(id, sha256, fencing), signal),
    asset: ({ id, fencing }, sha256, signal) =>
      bytes('an asset', deskPaths.asset(id, sha256, fencing), signal),
  };
}

type DeskRequest = {
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
};

async function send(
  request: DeskRequest,
  signal: AbortSignal,
  deps: { readonly address: DeskAddress; readonly token: () => Promise<string> },
): Promise<Uint8Array> {
  const base = await deps.address.current(signal);
  const authorization = `Bearer ${await deps.token()}`;
  const json = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
  const until = AbortSignal.any([signal, AbortSignal.timeout(request.timeoutMs)]);
  let response: Response;
  let bytes: Uint8Array;
  try {
    response = await fetch(`${base}${request.path}`, {
      method: request.method,
      headers: { authorization, ...('body' in json ? { 'content-type': 'application/json' } : {}) },
      ...json,
      redirect: 'error',
      signal: until,
    });
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    signal.throwIfAborted();
    deps.address.forget();
    throw new DeskUnreachable(request.what, cause);
  }
  if (response.ok) return bytes;
  throw new DeskRefused(request.what, { status: response.status, code: codeOf(bytes) });
}

function codeOf(bytes: Uint8Array): string {
  try {
    const document: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof document !== 'object' || document === null || !('code' in document)) return 'unknown';
    return typeof document.code === 'string' ? document.code : 'unknown';
  } catch {
    return 'unknown';
  }
}

async function repeat<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let waitMs = retryMsMin; ; waitMs = Math.min(2 * waitMs, retryMsMax)) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await pause(waitMs, signal);
    }
  }
}
