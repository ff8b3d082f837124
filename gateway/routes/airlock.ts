import { Readable } from 'node:stream';
import { feedAfter } from '@vtb/db/public/feed.ts';
import { openOrderChunk } from '@vtb/db/public/orderChunks.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import type { ReportEnvelope } from '@vtb/protocol/messages/report.ts';
import type { Feed } from '@vtb/protocol/wire/airlock.ts';
import { acceptComparison } from '../actions/acceptComparison.ts';
import { acceptNotice } from '../actions/acceptNotice.ts';
import { type Accepted, acceptReport } from '../actions/acceptReport.ts';
import { storeAttachment } from '../actions/storeAttachment.ts';
import { notFound } from '../frame/access.ts';
import type { Action } from '../frame/route.ts';
import { numberInQuery, queryOf } from './queryOf.ts';

/** Longest that a call for the feed waits for something to come. */
const waitSecondsMax = 30;

/** Messages in one answer; a checkpoint alone may be megabytes. */
const feedItemsMax = 20;

/** GET /airlock/feed?after=N&wait=S: what came after N, at once; or the next that comes within S seconds, or nothing. */
export const getFeed: Action<null, Feed> = async (call, deps, tx) => {
  const { after = 0, wait = 0 } = queryOf(call.query, {
    after: numberInQuery(0, Number.MAX_SAFE_INTEGER).optional(),
    wait: numberInQuery(0, waitSecondsMax).optional(),
  });
  const signal = AbortSignal.any([call.raw.signal, deps.stopping]);
  const until = performance.now() + wait * 1_000;
  using follower = deps.hub.follow('feed', null);
  for (;;) {
    const rows = await feedAfter({ after, limit: feedItemsMax }, tx);
    const leftMs = until - performance.now();
    if (rows.length > 0 || leftMs <= 0 || signal.aborted)
      return { items: rows.map(({ number, kind, jws }) => ({ number, kind, jws })) };
    await follower.next(leftMs, signal);
  }
};

/**
 * GET /airlock/orders/:id/chunks/:sha256: bytes of the system that an open order is about. The manifest's own canonical
 * bytes are the chunk whose digest is the system's.
 */
export const getOrderChunk: Action<null, never> = async (call, deps, tx) => {
  const { id: order = '', sha256 = '' } = call.params;
  const chunk = await openOrderChunk({ order, sha256 }, tx);
  if (chunk === undefined) throw notFound();
  if (chunk.kind === 'manifest') return bytesResponse(Buffer.from(canonicalJson(chunk.manifest)));
  const bytes = await deps.chunks.get(sha256, null);
  if (bytes === null) throw notFound();
  const headers = { ...chunkHeaders, 'content-length': String(chunk.size) };
  return new Response(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, { headers });
};

/** POST /airlock/reports */
export const postReport: Action<ReportEnvelope, Accepted> = async (call, deps, tx) =>
  acceptReport({ envelope: call.body, at: call.at }, deps, tx);

/** PUT /airlock/reports/:id/attachments/:sha256 */
export const putAttachment: Action<null, never> = async (call, deps) => {
  const { id: report = '', sha256 = '' } = call.params;
  return Response.json(await storeAttachment({ report, sha256, raw: call.raw, at: call.at }, deps));
};

/** POST /airlock/notices */
export const postNotice: Action<{ readonly notice: string }, Accepted> = async (call, deps, tx) =>
  acceptNotice({ notice: call.body.notice, at: call.at }, deps, tx);

/** POST /airlock/comparisons */
export const postComparison: Action<{ readonly comparison: string }, Accepted> = async (call, deps, tx) =>
  acceptComparison({ comparison: call.body.comparison, at: call.at }, deps, tx);

const chunkHeaders = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' };

function bytesResponse(bytes: Buffer<ArrayBuffer>): Response {
  return new Response(bytes, { headers: { ...chunkHeaders, 'content-length': String(bytes.byteLength) } });
}
