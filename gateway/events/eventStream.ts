import { type EventRow, eventsAfter } from '@vtb/db/public/events.ts';
import { stateOf } from '@vtb/db/public/submissionState.ts';
import { progressSchema, type SubmissionEventMessage } from '@vtb/protocol/wire/submissions.ts';
import type { Deps } from '../deps.ts';

/** Who reads along: an account that may see everything, or anybody, to whom only states are shown. */
export type Follower = { readonly kind: 'inside'; readonly account: string } | { readonly kind: 'outside' };

/** Whose events, from where, for whom, until when. */
export interface EventRequest {
  readonly submission: string;
  /** Number of the last event the follower has; 0 for all. */
  readonly after: number;
  readonly follower: Follower;
  readonly signal: AbortSignal;
}

/** Proxies close silent connections after a minute at the earliest. */
const heartbeatMs = 15_000;
const batchMax = 100;

/** A follower comes back by itself after this, with the id of its last event. */
const streamMs = 30 * 60_000;

/**
 * A submission's events as server-sent events, those that were and those to come. The reader's pace decides: only when it
 * takes more are more rows read, so a slow one holds no memory.
 *
 * throws  Refusal('request.rateLimited') when there are too many followers.
 */
export function eventStream(request: EventRequest, deps: Deps): ReadableStream<Uint8Array> {
  const { follower } = request;
  // Outsiders of one final share a bound, so that they can't take the places of teams.
  const owner = follower.kind === 'inside' ? follower.account : `outside ${request.submission}`;
  const following = deps.hub.follow(request.submission, owner);
  const closed = new AbortController();
  const signal = AbortSignal.any([
    closed.signal,
    request.signal,
    deps.stopping,
    AbortSignal.timeout(streamMs),
  ]);
  let after = request.after;
  let greeted = false;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const rows = signal.aborted
            ? []
            : await eventsAfter({ submission: request.submission, after, limit: batchMax }, deps.db);
          after = rows.at(-1)?.id ?? after;
          if (rows.length > 0)
            return controller.enqueue(encode(rows.map((row) => frame(row, follower)).join('')));
          if (!greeted) {
            greeted = true;
            return controller.enqueue(encode('retry: 2000\n\n'));
          }
          await following.next(heartbeatMs, signal);
          if (!signal.aborted) return controller.enqueue(encode(': here\n\n'));
        } catch (cause) {
          following[Symbol.dispose]();
          throw cause;
        }
        following[Symbol.dispose]();
        controller.close();
      },
      cancel: () => {
        closed.abort();
        following[Symbol.dispose]();
      },
    },
    { highWaterMark: 0 },
  );
}

function frame(row: EventRow, follower: Follower): string {
  const inside = follower.kind === 'inside';
  const message: SubmissionEventMessage = {
    id: row.id,
    at: row.at.toISOString(),
    kind: row.kind,
    state: stateOf(row.state),
    reason: inside ? row.reason : null,
    progress: inside ? progressSchema.nullable().catch(null).parse(row.progress) : null,
  };
  return `id: ${message.id}\nevent: ${message.kind}\ndata: ${JSON.stringify(message)}\n\n`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
