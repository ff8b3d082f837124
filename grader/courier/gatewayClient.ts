import { randomUUID } from 'node:crypto';
import { messageTypes, type SigningKey } from '@vtb/protocol/messages/sealing.ts';
import { type Feed, feedSchema } from '@vtb/protocol/wire/airlock.ts';
import { importJWK, SignJWT } from 'jose';

/** What the gateway made of something that was sent: taken, or refused in a way that trying again can't mend. */
export type Answer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string };

/** The gateway's airlock as the courier sees it. Everything else than these answers is thrown: try again later. */
export interface GatewayClient {
  feed(after: number, waitSeconds: number, signal: AbortSignal): Promise<Feed['items']>;
  /** The bytes of a chunk of an open order; undefined when the gateway doesn't give it (any more). */
  chunk(order: string, sha256: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;
  postReport(
    envelope: { readonly report: string; readonly maintainers: string },
    signal: AbortSignal,
  ): Promise<Answer>;
  putAttachment(report: string, sha256: string, bytes: Uint8Array, signal: AbortSignal): Promise<Answer>;
  postNotice(notice: string, signal: AbortSignal): Promise<Answer>;
  postComparison(comparison: string, signal: AbortSignal): Promise<Answer>;
}

/** The gateway answered something that may pass: 401 while keys are set up, 404 of another version, 429, 5xx. */
export class GatewayUnready extends Error {
  constructor(what: string, status: number) {
    super(`${what}: the gateway answered ${status}`);
    this.name = 'GatewayUnready';
  }
}

/** Seconds a request may take beside the time it waits for news. */
const requestMs = 60_000;
const tokenSeconds = 120;

/** A client that signs each request with a short token of the courier's key; outbound only, redirects refused. */
export function gatewayClient(input: {
  readonly url: string;
  readonly key: SigningKey;
  readonly now: () => Date;
}): GatewayClient {
  const base = `${input.url.replace(/\/+$/, '')}/api/v1/airlock`;
  const send = async (
    method: string,
    path: string,
    options: { readonly body?: string | Uint8Array; readonly ms: number; readonly signal: AbortSignal },
  ) => {
    const type = typeof options.body === 'string' ? 'application/json' : 'application/octet-stream';
    return fetch(`${base}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.ms)]),
      headers: {
        authorization: `Bearer ${await token(input.key, input.now())}`,
        ...(options.body === undefined ? {} : { 'content-type': type }),
      },
      ...(options.body === undefined
        ? {}
        : { body: typeof options.body === 'string' ? options.body : Buffer.from(options.body) }),
    });
  };
  const post = async (path: string, body: unknown, signal: AbortSignal) =>
    answerOf(path, await send('POST', path, { body: JSON.stringify(body), ms: requestMs, signal }));
  return {
    feed: async (after, wait, signal) => {
      const path = `/feed?after=${after}&wait=${wait}`;
      const response = await send('GET', path, { ms: requestMs + wait * 1_000, signal });
      if (!response.ok) throw await unready(path, response);
      return feedSchema.parse(await response.json()).items;
    },
    chunk: async (order, sha256, signal) => {
      const path = `/orders/${order}/chunks/${sha256}`;
      const response = await send('GET', path, { ms: 10 * requestMs, signal });
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok || response.body === null) throw await unready(path, response);
      return response.body;
    },
    postReport: (envelope, signal) => post('/reports', envelope, signal),
    putAttachment: async (report, sha256, bytes, signal) => {
      const path = `/reports/${report}/attachments/${sha256}`;
      const response = await send('PUT', path, { body: bytes, ms: 10 * requestMs, signal });
      return answerOf(path, response, finalForAttachment);
    },
    postNotice: (notice, signal) => post('/notices', { notice }, signal),
    postComparison: (comparison, signal) => post('/comparisons', { comparison }, signal),
  };
}

/** Statuses that say: this very message will never be taken. */
const final: ReadonlySet<number> = new Set([400, 409, 413, 422]);
/** The report was taken just before: that its attachment isn't wanted (any more) won't change, so it mustn't be waited for. */
const finalForAttachment: ReadonlySet<number> = new Set([...final, 403, 404]);

async function answerOf(path: string, response: Response, finalHere = final): Promise<Answer> {
  if (response.ok) {
    await response.body?.cancel();
    return { kind: 'taken' };
  }
  if (!finalHere.has(response.status)) throw await unready(path, response);
  const document: unknown = await response.json().catch(() => null);
  const code =
    typeof document === 'object' && document !== null && 'code' in document
      ? String(document.code)
      : 'unknown';
  return { kind: 'refused', status: response.status, code: code.slice(0, 64) };
}

async function unready(path: string, response: Response): Promise<GatewayUnready> {
  await response.body?.cancel();
  return new GatewayUnready(path, response.status);
}

async function token(key: SigningKey, now: Date): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'EdDSA', typ: messageTypes.courierToken, kid: key.kid })
    .setAudience('vtb-airlock')
    .setSubject('courier')
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + tokenSeconds)
    .sign(await importJWK(key.jwk, 'EdDSA'));
}
