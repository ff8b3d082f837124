import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import {
  addCounts,
  countsArePossible,
  type EngineCounts,
  isErrorEvent,
  unknownCounts,
} from './engineAnswer.ts';
import { eventSplitter } from './eventSplitter.ts';
import type { ProxyConfig, UsageRecord } from './proxyProtocol.ts';

/** How a call ended. `whole` is the answer's body where it wasn't streamed on. */
export type EngineCallEnd = {
  readonly outcome: UsageRecord['outcome'];
  readonly counts: EngineCounts;
  readonly status: number | null;
  readonly whole: Buffer | null;
};

/** Calls the engine once; never rejects. */
export type EngineCall = (input: {
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborted when nobody wants the answer any more; its tokens are counted all the same. */
  readonly gone: AbortSignal;
  /** Gets each event's data of a streamed answer, also after `gone`. */
  readonly onEvent: (data: string) => void;
}) => Promise<EngineCallEnd>;

const cancelEveryMs = 200;

/**
 * Calls to the engine over its unix socket.
 *
 * An abandoned call isn't cut off, because then nobody would know what it used: the engine is told to cancel it (an
 * engine that can't is left to finish), and the answer is read to its end, where the counts are. Only an engine that
 * doesn't end within the bounds is disconnected; its counts are then null.
 */
export function engineCalls(config: Pick<ProxyConfig, 'engineSocket' | 'engineCancels' | 'limits'>): {
  readonly call: EngineCall;
  readonly close: () => void;
} {
  const { limits, engineSocket } = config;
  const agent = new Agent({ keepAlive: true, maxSockets: limits.concurrencyMax });
  // Cancels have connections of their own: they must not wait behind the calls they cancel.
  const cancelAgent = new Agent({ keepAlive: true, maxSockets: 4 });
  let nextId = 0;

  const cancel = (id: string) => {
    const request = httpRequest({
      socketPath: engineSocket,
      agent: cancelAgent,
      method: 'DELETE',
      path: `/v1/requests/${id}`,
    });
    request.on('response', (response) => response.resume());
    request.on('error', () => {});
    request.end();
  };

  const call: EngineCall = ({ body, gone, onEvent }) => {
    if (gone.aborted) return Promise.resolve(neverSent);
    nextId += 1;
    const id = `r${nextId}`;
    const payload = Buffer.from(JSON.stringify(body));
    const { promise, resolve } = Promise.withResolvers<EngineCallEnd>();
    const state = { counts: unknownCounts, status: null as number | null, isTimeout: false, hasError: false };
    const timers: NodeJS.Timeout[] = [];
    const request = httpRequest({
      socketPath: engineSocket,
      agent,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', 'content-length': payload.length, 'x-request-id': id },
    });
    const abandon = () => {
      if (config.engineCancels) {
        cancel(id);
        // Repeated, because a cancel can overtake the request that it cancels.
        timers.push(setInterval(() => cancel(id), cancelEveryMs));
        timers.push(setTimeout(() => request.destroy(), limits.drainTimeoutMs));
      }
    };
    timers.push(
      setTimeout(() => {
        state.isTimeout = true;
        abandon();
        timers.push(setTimeout(() => request.destroy(), limits.drainTimeoutMs));
      }, limits.requestTimeoutMs),
    );
    gone.addEventListener('abort', abandon, { once: true });
    const finish = (isWhole: boolean, whole: Buffer | null) => {
      for (const timer of timers) clearTimeout(timer);
      gone.removeEventListener('abort', abandon);
      const isPossible = countsArePossible(state.counts, {
        promptTokensMax: limits.contextTokensMax,
        generatedTokensMax: Number(body.max_tokens),
      });
      const hasError = state.hasError || !isPossible;
      const outcome = outcomeOf({ ...state, hasError, isWhole, isGone: gone.aborted });
      const counts = isPossible ? state.counts : { ...unknownCounts, finish: state.counts.finish };
      resolve({ outcome, counts, status: state.status, whole });
    };
    request.once('error', () => finish(false, null));
    request.once('response', (response) => {
      state.status = response.statusCode ?? null;
      readAnswer(response, limits.answerBytesMax, onEvent, (text) => {
        state.counts = addCounts(state.counts, text);
        state.hasError ||= state.status === 200 && isErrorEvent(text);
      }).then(
        (whole) => finish(true, whole),
        () => {
          request.destroy();
          finish(false, null);
        },
      );
    });
    request.end(payload);
    return promise;
  };
  return {
    call,
    close: () => {
      agent.destroy();
      cancelAgent.destroy();
    },
  };
}

/** The engine never saw it: these zeros are known, not assumed. */
const neverSent: EngineCallEnd = {
  outcome: 'aborted',
  counts: { promptTokens: 0, cachedTokens: 0, generatedTokens: 0, finish: null },
  status: null,
  whole: null,
};

async function readAnswer(
  response: IncomingMessage,
  answerBytesMax: number,
  onEvent: (data: string) => void,
  onText: (text: string) => void,
): Promise<Buffer | null> {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
  const splitter = eventSplitter(answerBytesMax);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > answerBytesMax)
      throw new RangeError(`the engine's answer is longer than ${answerBytesMax} bytes`);
    if (!isStream) {
      parts.push(part);
      continue;
    }
    for (const data of splitter.push(part)) {
      if (/"(usage|error)"|"finish_reason":\s*"/.test(data)) onText(data);
      onEvent(data);
    }
  }
  if (isStream) return null;
  const whole = Buffer.concat(parts);
  onText(whole.toString('utf8'));
  return whole;
}

function outcomeOf(end: {
  readonly isTimeout: boolean;
  readonly isGone: boolean;
  readonly isWhole: boolean;
  readonly hasError: boolean;
  readonly status: number | null;
}): UsageRecord['outcome'] {
  if (end.isTimeout) return 'timeout';
  if (end.isGone) return 'aborted';
  if (!end.isWhole || end.hasError || end.status === null || end.status >= 500) return 'failed';
  return end.status === 200 ? 'answered' : 'refused';
}
