import { problem, type RequestProblem } from './requestProblem.ts';

/** A message as the engine gets it: only the listed fields, in a fixed order. */
export type RebuiltMessage = Readonly<Record<string, unknown>>;

const roles = ['system', 'developer', 'user', 'assistant', 'tool'];
const messagesMax = 10_000;
const toolCallsMax = 256;

/**
 * Fields that OpenAI's own answers contain. Clients send an answer back as they got it, so these are dropped where
 * they are empty; with content they are refused like any other.
 */
const echoes = new Set(['refusal', 'audio', 'function_call', 'annotations', 'provider_specific_fields']);
const passed = new Set(['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning_content']);

/**
 * Rebuilds a conversation field by field; problems are added to `problems`, all of them.
 *
 * A last message of the assistant's is refused: engines continue it, which would let the caller write the beginning
 * of the answer (`<think>` where thinking is off).
 */
export function rebuildMessages(value: unknown, problems: RequestProblem[]): readonly RebuiltMessage[] {
  if (!Array.isArray(value) || value.length === 0) {
    problems.push(problem('messages', value, 'must be a list with at least one message'));
    return [];
  }
  if (value.length > messagesMax) {
    problems.push(problem('messages', value.length, `must have at most ${messagesMax} messages`));
    return [];
  }
  const rebuilt = value.map((m, i) => rebuildMessage(m, `messages[${i}]`, problems));
  const last = value.length - 1;
  if (rebuilt[last]?.role === 'assistant') {
    problems.push(
      problem(
        `messages[${last}].role`,
        'assistant',
        'the last message must not be the assistant’s: its answer is never begun by the caller',
      ),
    );
  }
  return rebuilt;
}

function rebuildMessage(value: unknown, at: string, problems: RequestProblem[]): RebuiltMessage {
  if (!isObject(value)) {
    problems.push(problem(at, value, 'must be an object'));
    return {};
  }
  for (const [key, held] of Object.entries(value)) {
    if (passed.has(key) || (echoes.has(key) && isEmpty(held))) continue;
    problems.push(
      problem(`${at}.${key}`, held, `is not passed on; a message may have ${[...passed].join(', ')}`),
    );
  }
  const { role } = value;
  if (typeof role !== 'string' || !roles.includes(role)) {
    problems.push(problem(`${at}.role`, role, `must be one of ${roles.join(', ')}`));
  }
  const text = (key: string) => {
    const held = value[key];
    if (held === undefined || held === null) return {};
    if (typeof held !== 'string') problems.push(problem(`${at}.${key}`, held, 'must be text'));
    return { [key]: held };
  };
  const calls = value.tool_calls;
  return {
    // The two names mean the same; templates know only one.
    role: role === 'developer' ? 'system' : role,
    ...rebuildContent(value.content, calls, `${at}.content`, problems),
    ...text('name'),
    ...(calls === undefined || calls === null
      ? {}
      : { tool_calls: rebuildToolCalls(calls, `${at}.tool_calls`, problems) }),
    ...text('tool_call_id'),
    ...text('reasoning_content'),
  };
}

function rebuildContent(content: unknown, calls: unknown, at: string, problems: RequestProblem[]) {
  if (typeof content === 'string') return { content };
  if (content === null || content === undefined) {
    const hasCalls = Array.isArray(calls) && calls.length > 0;
    if (!hasCalls) problems.push(problem(at, content ?? null, 'must be text where there are no tool_calls'));
    return { content: '' };
  }
  if (!Array.isArray(content)) {
    problems.push(problem(at, content, 'must be text or a list of text parts'));
    return {};
  }
  const parts = content.map((part, i) => {
    const isText = isObject(part) && part.type === 'text' && typeof part.text === 'string';
    const extra = isObject(part) ? Object.keys(part).filter((k) => k !== 'type' && k !== 'text') : [];
    if (!isText) problems.push(problem(`${at}[${i}]`, part, 'must be {"type": "text", "text": …}'));
    for (const key of extra) {
      problems.push(problem(`${at}[${i}].${key}`, isObject(part) ? part[key] : null, 'is not passed on'));
    }
    return isText ? { type: 'text', text: part.text } : {};
  });
  return { content: parts };
}

function rebuildToolCalls(value: unknown, at: string, problems: RequestProblem[]): readonly unknown[] {
  if (!Array.isArray(value) || value.length > toolCallsMax) {
    problems.push(problem(at, value, `must be a list of at most ${toolCallsMax} calls`));
    return [];
  }
  return value.map((call, i) => {
    const { id, type = 'function', function: fn, index: _position, ...extra } = isObject(call) ? call : {};
    const { name, arguments: args, ...extraFn } = isObject(fn) ? fn : {};
    if (
      typeof id !== 'string' ||
      type !== 'function' ||
      typeof name !== 'string' ||
      typeof args !== 'string'
    ) {
      problems.push(
        problem(`${at}[${i}]`, call, 'must be {"id", "type": "function", "function": {"name", "arguments"}}'),
      );
    }
    for (const [key, held] of Object.entries(extra))
      problems.push(problem(`${at}[${i}].${key}`, held, 'is not passed on'));
    for (const [key, held] of Object.entries(extraFn)) {
      problems.push(problem(`${at}[${i}].function.${key}`, held, 'is not passed on'));
    }
    return { id, type: 'function', function: { name, arguments: args } };
  });
}

/** True for JSON objects: not lists, not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every(isEmpty);
}
