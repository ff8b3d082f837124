import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { problemDocumentSchema } from '@vtb/protocol/wire/problem.ts';
import type { z } from 'zod';
import { Failure } from './failure.ts';

/** The service, as the command line calls it. */
export interface Client {
  readonly url: string;
  readonly hasToken: boolean;
  readonly get: <T>(path: string, schema: z.ZodType<T>) => Promise<T>;
  readonly text: (path: string, accept: string) => Promise<string>;
  readonly post: <T>(path: string, body: unknown, schema: z.ZodType<T>) => Promise<T>;
  /** Posts text of another type than JSON to a route where twice is once: it is tried again as it is. */
  readonly postText: <T>(path: string, body: TextBody, schema: z.ZodType<T>) => Promise<T>;
  readonly remove: (path: string) => Promise<void>;
  /**
   * One try of a request, with its answer unread; failures of the network and refusals are thrown as Failures.
   *
   * timeoutMs  for the whole answer; null for a stream that stays open.
   */
  readonly raw: (path: string, init: RequestInit, timeoutMs: number | null) => Promise<Response>;
}

/** A body that is not JSON. */
export interface TextBody {
  readonly type: string;
  readonly text: string;
}

/** Longest wait for the head of an answer. */
const answerTimeoutMs = 60_000;
/** Tries of a request that may be sent again: reads, and creations under one Idempotency-Key. */
const triesMax = 4;

/**
 * Opens the service at `login.url`; paths are below /api/v1.
 *
 * stop  ends whatever is under way, and every wait between tries.
 */
export function openClient(
  login: { readonly url: string; readonly token: string | null },
  stop: AbortSignal,
): Client {
  const reach = async <T>(
    path: string,
    init: RequestInit,
    timeoutMs: number | null,
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const headers = new Headers(init.headers);
    if (login.token !== null) headers.set('Authorization', `Bearer ${login.token}`);
    const given = init.signal == null ? [stop] : [stop, init.signal];
    const signal = AbortSignal.any(timeoutMs === null ? given : [...given, AbortSignal.timeout(timeoutMs)]);
    try {
      const options: RequestInit = { ...init, headers, signal, redirect: 'error' };
      const response = await fetch(`${login.url}/api/v1${path}`, options);
      if (!response.ok) throw await refusal(response);
      return await read(response);
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      for (const { aborted, reason } of given) if (aborted) throw reason;
      throw new Failure(
        'unreachable',
        'service.unreachable',
        `${login.url} can't be reached: ${reasonOf(cause, timeoutMs)}`,
      );
    }
  };
  const again = async (path: string, init: RequestInit): Promise<string> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await reach(path, init, answerTimeoutMs, (response) => response.text());
      } catch (cause) {
        if (!(cause instanceof Failure) || cause.kind !== 'unreachable' || attempt >= triesMax) throw cause;
        await delay(250 * 2 ** attempt, undefined, { signal: stop }).catch(() => stop.throwIfAborted());
      }
    }
  };
  const json = <T>(text: string, schema: z.ZodType<T>): T => {
    const parsed = schema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Failure(
      'unreachable',
      'service.foreign',
      `${login.url} answered something else than this version of vtb expects: ${issue?.path.join('.')} ${issue?.message}`,
    );
  };
  return {
    url: login.url,
    hasToken: login.token !== null,
    raw: (path, init, timeoutMs) => reach(path, init, timeoutMs, async (response) => response),
    get: async (path, schema) => json(await again(path, {}), schema),
    text: (path, accept) => again(path, { headers: { Accept: accept } }),
    post: async (path, body, schema) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
      return json(await again(path, { method: 'POST', headers, body: JSON.stringify(body) }), schema);
    },
    postText: async (path, { type, text }, schema) =>
      json(await again(path, { method: 'POST', headers: { 'Content-Type': type }, body: text }), schema),
    remove: async (path) => {
      await again(path, { method: 'DELETE' });
    },
  };
}

async function refusal(response: Response): Promise<Failure> {
  const text = await response.text();
  const parsed = problemDocumentSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    const kind = response.status >= 500 ? 'unreachable' : 'refused';
    return new Failure(
      kind,
      `http.${response.status}`,
      `${new URL(response.url).origin} answered ${response.status} ${response.statusText}`,
    );
  }
  const { code, title, detail, problems, requestId, status } = parsed.data;
  // A slow line and a crowded minute pass; a full disk doesn't while we wait.
  if ((status >= 500 && status !== 507) || status === 408 || status === 429)
    return new Failure('unreachable', code, `${title}. ${detail} (request ${requestId})`);
  return new Failure(
    'refused',
    code,
    detail === '' ? title : `${title}: ${detail}`,
    problems.map(({ fix, ...problem }) => (fix === undefined ? problem : { ...problem, fix })),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reasonOf(cause: unknown, timeoutMs: number | null): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return `no answer within ${Math.round((timeoutMs ?? 0) / 1000)} s`;
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
