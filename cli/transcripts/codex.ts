/**
 * Theory of operation. Codex writes a rollout file of JSON lines per thread. `token_count` events hold the thread's
 * running total and the last call's counts; the same total is written again and again (a refresh of its display), which
 * is no new call. A fork begins with a copy of its parent's lines under new instants, so a call is known by the total it
 * led to and its own counts, which no other call shares by chance; a thread's first call, whose total is its own counts,
 * by its thread as well. `input_tokens` includes cached ones, and `output_tokens` includes reasoning.
 */
import { type Calls, countOf, instantOf, modelOf, newCalls } from './calls.ts';
import { isObject, jsonRecords } from './jsonRecords.ts';
import { episodesOf, newTimeline, type Span, type Timeline } from './timeline.ts';
import type { Transcript } from './transcript.ts';

type Members = Readonly<Record<string, unknown>>;

/** Reads Codex rollouts; forks and agents started by others count like the threads that people started. */
export async function readCodex(files: readonly string[], signal: AbortSignal): Promise<Transcript> {
  const calls = newCalls('codex');
  const spans: Span[] = [];
  let [unfinished, unreadable] = [0, 0];
  for (const file of files) {
    const timeline = newTimeline();
    const thread: Thread = { id: file, model: null, total: null };
    for await (const record of jsonRecords(file, signal)) {
      if (record.kind === 'object') readRecord(record.value, thread, calls, timeline);
      else if (record.kind === 'unfinished') unfinished++;
      else unreadable++;
    }
    spans.push(...timeline.spans());
  }
  const episodes = episodesOf(spans, 'codex');
  return { usage: calls.usage(), episodes, files: files.length, unfinished, unreadable };
}

/** Where the reading of one file has got to. */
interface Thread {
  /** The thread whose lines these are: in a fork, first its parent. */
  id: string;
  model: string | null;
  total: Counts | null;
}

interface Counts {
  readonly input: number | null;
  readonly cached: number | null;
  readonly output: number | null;
}

function readRecord(record: Members, thread: Thread, calls: Calls, timeline: Timeline): void {
  const { payload } = record;
  const atMs = instantOf(record.timestamp);
  if (!isObject(payload) || atMs === null) return;
  switch (record.type) {
    case 'session_meta':
      if (typeof payload.id === 'string') thread.id = payload.id;
      return;
    case 'turn_context':
      thread.model = modelOf(payload.model) ?? thread.model;
      return;
    case 'response_item':
      readItem(payload, atMs, timeline);
      return;
    case 'event_msg':
      if (payload.type === 'user_message' || payload.type === 'task_started') timeline.input('main', atMs);
      if (payload.type === 'token_count' && isObject(payload.info))
        readCounts(payload.info, atMs, thread, calls);
      return;
  }
}

function readItem(item: Members, atMs: number, timeline: Timeline): void {
  const type = typeof item.type === 'string' ? item.type : '';
  const id = String(item.call_id ?? item.id ?? '');
  if (type.endsWith('_output')) {
    timeline.toolEnded(id, atMs);
    timeline.input('main', atMs);
  } else if (type === 'message' && item.role !== 'assistant') timeline.input('main', atMs);
  else {
    timeline.output('main', atMs);
    if (type.endsWith('_call')) timeline.toolStarted(id, atMs);
  }
}

function readCounts(info: Members, atMs: number, thread: Thread, calls: Calls): void {
  const total = isObject(info.total_token_usage) ? countsOf(info.total_token_usage) : null;
  const last = isObject(info.last_token_usage) ? countsOf(info.last_token_usage) : null;
  const before = thread.total;
  if (total !== null) thread.total = total;
  if (total !== null && before !== null && nameOf(total) === nameOf(before)) return;
  const grown = total !== null && before !== null ? difference(total, before) : null;
  const counts = grown ?? last ?? total;
  // Filling the context's display after an overflow sets counts to 0: no model spoke.
  if (counts === null || (counts.input === 0 && counts.output === 0)) return;
  const isFirst = total === null || nameOf(total) === nameOf(counts);
  calls.add(total === null ? null : `${isFirst ? thread.id : ''}\n${nameOf(total)}\n${nameOf(counts)}`, {
    at: new Date(atMs).toISOString(),
    model: thread.model,
    inputTokens: counts.input,
    cachedTokens:
      counts.cached !== null && counts.input !== null && counts.cached > counts.input ? null : counts.cached,
    outputTokens: counts.output,
  });
}

/** What was added to a running total; null where the total began anew. */
function difference(total: Counts, before: Counts): Counts | null {
  const parts = (['input', 'cached', 'output'] as const).map((name) => {
    const [now, then] = [total[name], before[name]];
    return now === null || then === null ? null : now - then;
  });
  const [input = null, cached = null, output = null] = parts;
  return parts.some((part) => part !== null && part < 0) ? null : { input, cached, output };
}

function countsOf(usage: Members): Counts {
  return {
    input: countOf(usage.input_tokens),
    cached: countOf(usage.cached_input_tokens),
    output: countOf(usage.output_tokens),
  };
}

const nameOf = ({ input, cached, output }: Counts) => [input, cached, output].join(' ');
