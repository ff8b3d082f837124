import { setTimeout as delay } from 'node:timers/promises';
import { type Submission, submissionSchema } from '@vtb/protocol/wire/submissions.ts';
import type { Client } from './client.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { patienceMs, persist } from './persist.ts';

/** States in which a submission stays unless somebody acts: following ends there. */
const rest = {
  validation: ['graded', 'refused', 'lapsed', 'withdrawn', 'held', 'disqualified'],
  final: ['published', 'refused', 'lapsed', 'withdrawn', 'held', 'disqualified'],
} as const;

/** Between two looks when events don't come through. */
const pollMs = 1_000;

/**
 * Follows a submission until it rests, saying each change once.
 *
 * timeoutMs  null waits for as long as it takes.
 * returns    the submission at rest.
 * throws     Failure('timedOut') with where it was.
 */
export async function followSubmission(
  id: string,
  timeoutMs: number | null,
  context: Context,
  client: Client,
): Promise<Submission> {
  const startedAt = performance.now();
  let said = '';
  const patience = () =>
    timeoutMs === null ? patienceMs : Math.min(patienceMs, startedAt + timeoutMs - performance.now());
  const look = () => client.get(`/submissions/${id}`, submissionSchema);
  for (;;) {
    context.signal.throwIfAborted();
    const submission = await (said === ''
      ? look()
      : persist(look, { patienceMs: patience(), signal: context.signal }, context));
    const line = stateLine(submission);
    if (line !== said) context.console.note(line);
    said = line;
    const ends: readonly string[] = rest[submission.purpose];
    if (ends.includes(submission.state)) return submission;
    if (timeoutMs !== null && performance.now() - startedAt > timeoutMs)
      throw new Failure('timedOut', 'wait.timedOut', `after ${Math.round(timeoutMs / 1000)} s: ${line}`);
    await delay(pollMs, undefined, { signal: context.signal }).catch(() => undefined);
  }
}

/** Where a submission is, in one line. */
export function stateLine(submission: Submission): string {
  const { id, state, stateReason, queuePosition, expectedWaitMinutes, progress, bytes, bytesArrived } =
    submission;
  const details = [
    state === 'uploading' || state === 'committed'
      ? `${Math.floor((100 * bytesArrived) / Math.max(1, bytes))} % of ${bytes} bytes here`
      : null,
    queuePosition === null ? null : `place ${queuePosition} in the queue`,
    expectedWaitMinutes === null || queuePosition === null
      ? null
      : `about ${Math.max(1, Math.ceil(expectedWaitMinutes))} min`,
    state === 'grading' && progress?.done != null && progress.total != null
      ? `${progress.done} of ${progress.total} trials`
      : null,
    stateReason,
  ].filter((detail) => detail !== null);
  return `${id} ${state}${details.length === 0 ? '' : `: ${details.join(', ')}`}`;
}

/** Follows with the service's event stream where it works; used by `watch` to print each event as it comes. */
export async function* submissionEvents(
  id: string,
  context: Context,
  client: Client,
): AsyncGenerator<{ readonly id: string; readonly data: string }> {
  let lastId = '';
  for (;;) {
    const headers: Record<string, string> = {
      Accept: 'text/event-stream',
      ...(lastId === '' ? {} : { 'Last-Event-ID': lastId }),
    };
    const response = await client.raw(`/submissions/${id}/events`, { headers, signal: context.signal }, null);
    if (response.body === null) return;
    let text = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = parseEvent(text.slice(0, end));
        text = text.slice(end + 2);
        if (event === null) continue;
        lastId = event.id;
        yield event;
      }
    }
  }
}

function parseEvent(block: string): { readonly id: string; readonly data: string } | null {
  const field = (name: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart())
      .join('\n');
  const data = field('data');
  return data === '' ? null : { id: field('id'), data };
}
