/**
 * Theory of operation. Claude Code writes a file of JSON lines per session, and one per agent that a session starts. A
 * model call is several lines: one per content block, all with the call's `message.id`, the early ones with the counts as
 * they were when the stream began. Resuming or forking a session copies its lines to a new file. So a call is known by
 * its message id, across lines and files, and its fullest counts are taken. `input_tokens` leaves out what was written to
 * or read from a cache; the three add up to what the model read.
 */
import { type Calls, countOf, instantOf, modelOf, newCalls, sumOf } from './calls.ts';
import { isObject, jsonRecords } from './jsonRecords.ts';
import { episodesOf, newTimeline, type Span, type Timeline } from './timeline.ts';
import type { Transcript } from './transcript.ts';

type Members = Readonly<Record<string, unknown>>;

/** Reads Claude Code transcripts; what agents of a session generated counts like the session's own. */
export async function readClaudeCode(files: readonly string[], signal: AbortSignal): Promise<Transcript> {
  const calls = newCalls('claude-code');
  const spans: Span[] = [];
  let [unfinished, unreadable] = [0, 0];
  for (const file of files) {
    const timeline = newTimeline();
    for await (const record of jsonRecords(file, signal)) {
      if (record.kind === 'object') readRecord(record.value, calls, timeline);
      else if (record.kind === 'unfinished') unfinished++;
      else unreadable++;
    }
    spans.push(...timeline.spans());
  }
  const episodes = episodesOf(spans, 'claude-code');
  return { usage: calls.usage(), episodes, files: files.length, unfinished, unreadable };
}

/** What the program says itself, as when a call failed: no model spoke. */
const ownModel = '<synthetic>';

function readRecord(record: Members, calls: Calls, timeline: Timeline): void {
  const atMs = instantOf(record.timestamp);
  const { message } = record;
  if (atMs === null || !isObject(message)) return;
  const thread = record.isSidechain === true ? `side ${String(record.agentId ?? '')}` : 'main';
  if (record.type === 'user') {
    for (const block of blocksOf(message, 'tool_result')) timeline.toolEnded(String(block.tool_use_id), atMs);
    timeline.input(thread, atMs);
  } else if (record.type === 'assistant' && message.model !== ownModel) {
    timeline.output(thread, atMs);
    for (const block of blocksOf(message, 'tool_use')) timeline.toolStarted(String(block.id), atMs);
    if (isObject(message.usage)) calls.add(callName(record, message), usageOf(message, message.usage, atMs));
  }
}

function usageOf(message: Members, usage: Members, atMs: number) {
  const cachedTokens = countOf(usage.cache_read_input_tokens);
  return {
    at: new Date(atMs).toISOString(),
    model: modelOf(message.model),
    inputTokens: sumOf(countOf(usage.input_tokens), countOf(usage.cache_creation_input_tokens), cachedTokens),
    cachedTokens,
    outputTokens: countOf(usage.output_tokens),
  };
}

function callName(record: Members, message: Members): string | null {
  for (const name of [message.id, record.requestId, record.uuid])
    if (typeof name === 'string' && name !== '') return name;
  return null;
}

function blocksOf(message: Members, type: string): Members[] {
  const { content } = message;
  return Array.isArray(content) ? content.filter(isObject).filter((block) => block.type === type) : [];
}
