import { systemLimits } from '@vtb/protocol/system/limits.ts';
import type { Chunk } from '@vtb/protocol/system/manifest.ts';
import type { Feed } from '@vtb/protocol/wire/airlock.ts';
import {
  enterMessage,
  feedId,
  feedNumber,
  hasMessage,
  listMessages,
  readMessage,
  type Spool,
} from '../spool.ts';
import { chunksOf, chunkThere, writeChunk } from '../spoolChunks.ts';
import type { Courier } from './courier.ts';
import { chunksInManifest, orderIn } from './orderChunks.ts';

/**
 * Brings what is new in the gateway's feed into the spool's inbox, one message after the other: an order's chunks first,
 * then the message. Killed anywhere, the next call goes on: chunks that lie there are not fetched again, and a message that
 * was entered is where the next call starts from.
 *
 * returns  'brought' when something came, 'nothing' when the feed had no news, 'stuck' when the grader has put aside the
 *          very message that comes next.
 */
export async function pullOnce(
  waitSeconds: number,
  signal: AbortSignal,
  courier: Courier,
): Promise<'brought' | 'nothing' | 'stuck'> {
  let last = await lastNumber(courier.spool);
  const items = await courier.client.feed(last, waitSeconds, signal);
  for (const item of items) {
    if (item.number !== last + 1) {
      courier.log('error', 'feed.gap', { after: last, got: item.number });
      return 'stuck';
    }
    if (await wasRefused(item, courier.spool)) {
      courier.log('error', 'feed.refusedByGrader', { number: item.number });
      return 'stuck';
    }
    await bring(item, signal, courier);
    last = item.number;
  }
  return items.length > 0 ? 'brought' : 'nothing';
}

/** The highest number that was brought: it lies in the inbox, or the grader keeps it in `claimed`. 0 before the first. */
export async function lastNumber(spool: Spool): Promise<number> {
  const ids = [...(await listMessages('inbox', spool)), ...(await listMessages('claimed', spool))];
  return ids.reduce((last, id) => Math.max(last, feedNumber(id) ?? 0), 0);
}

async function wasRefused(item: Feed['items'][number], spool: Spool): Promise<boolean> {
  const id = feedId(item.number);
  if (!(await hasMessage('refused', id, spool))) return false;
  return (await readMessage('refused', id, 'message.jws', spool).catch(() => undefined)) === item.jws;
}

async function bring(item: Feed['items'][number], signal: AbortSignal, courier: Courier): Promise<void> {
  const order = item.kind === 'order' ? orderIn(item.jws) : undefined;
  if (order !== undefined && !(await fetchSystem(order, signal, courier))) {
    // The order was closed meanwhile; its cancel or report follows, and the feed must not stand still.
    courier.log('warn', 'order.chunksGone', { order: order.order, number: item.number });
  }
  await enterMessage('inbox', feedId(item.number), { 'message.jws': item.jws }, courier.spool);
  courier.log('info', 'feed.brought', { number: item.number, kind: item.kind });
}

/** Requests at once for the chunks of one order. */
const fetchesAtOnce = 4;

async function fetchSystem(
  { order, system }: { readonly order: string; readonly system: string },
  signal: AbortSignal,
  courier: Courier,
): Promise<boolean> {
  if (
    !(await fetchChunk(
      { order, sha256: system, size: undefined, sizeMax: systemLimits.manifestBytesMax },
      signal,
      courier,
    ))
  )
    return false;
  const left: Chunk[] = [...(await chunksInManifest(chunksOf(courier.spool), system))];
  const stop = new AbortController();
  let whole = true;
  const work = async () => {
    for (let chunk = left.pop(); chunk !== undefined && whole; chunk = left.pop()) {
      const wanted = { order, sha256: chunk.sha256, size: chunk.size, sizeMax: chunk.size };
      if (!(await fetchChunk(wanted, AbortSignal.any([signal, stop.signal]), courier))) whole = false;
    }
  };
  try {
    await Promise.all(Array.from({ length: fetchesAtOnce }, work));
  } finally {
    stop.abort();
  }
  return whole;
}

async function fetchChunk(
  wanted: {
    readonly order: string;
    readonly sha256: string;
    readonly size: number | undefined;
    readonly sizeMax: number;
  },
  signal: AbortSignal,
  courier: Courier,
): Promise<boolean> {
  const { order, sha256, size, sizeMax } = wanted;
  if (await chunkThere(sha256, size, courier.now(), courier.spool)) return true;
  const bytes = await courier.client.chunk(order, sha256, signal);
  if (bytes === undefined) return false;
  await writeChunk({ folder: chunksOf(courier.spool), sha256, sizeMax }, bytes);
  return true;
}
