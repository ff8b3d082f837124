import { randomUUID } from 'node:crypto';
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
  /** A request with its answer unread; failures of the network and refusals are thrown as Failures. */
  readonly raw: (path: string, init: RequestInit) => Promise<Response>;
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

/** Opens the service at `login.url`; paths are below /api/v1. */
export function openClient(login: { readonly url: string; readonly token: string | null }): Client {
  const call = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (login.token !== null) headers.set('Authorization', `Bearer ${login.token}`);
    const signal = init.signal ?? AbortSignal.timeout(answerTimeoutMs);
    let response: Response;
    try {
      response = await fetch(`${login.url}/api/v1${path}`, { ...init, headers, signal, redirect: 'error' });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new Failure(
        'unreachable',
        'service.unreachable',
        `${login.url} can't be reached: ${reason(cause)}`,
      );
    }
    if (response.ok) return response;
    throw await refusal(response);
  };
  const again = async (path: string, init: RequestInit): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(path, init);
      } catch (cause) {
        if (!(cause instanceof Failure) || cause.kind !== 'unreachable' || attempt >= triesMax) throw cause;
        await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
      }
    }
  };
  const json = async <T>(response: Response, schema: z.ZodType<T>): Promise<T> => {
    const parsed = schema.safeParse(await response.json());
    if (parsed.success) return parsed.data;
    throw new Failure(
      'unreachable',
      'service.foreign',
      `${login.url} answered something else than this version of vtb expects: ${parsed.error.issues[0]?.path.join('.')} ${parsed.error.issues[0]?.message}`,
    );
  };
  return {
    url: login.url,
    hasToken: login.token !== null,
    raw: call,
    get: async (path, schema) => json(await again(path, {}), schema),
    text: async (path, accept) => (await again(path, { headers: { Accept: accept } })).text(),
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
  if (status >= 500 && status !== 507)
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

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return `no answer within ${answerTimeoutMs / 1000} s`;
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
