import type { Episode, TranscriptKind } from '@vtb/protocol/researchLog/line.ts';
import { transcriptActivities } from './transcript.ts';

/** The instants of one transcript, becoming stretches of time. */
export interface Timeline {
  /** Something came that the model reads: a prompt, a tool's result. */
  readonly input: (thread: string, atMs: number) => void;
  /** The model wrote something; it was at work since the last input or output of its thread. */
  readonly output: (thread: string, atMs: number) => void;
  readonly toolStarted: (id: string, atMs: number) => void;
  /** A tool that never ends has no known time. */
  readonly toolEnded: (id: string, atMs: number) => void;
  readonly spans: () => readonly Span[];
}

/** A stretch of time, start < end. */
export interface Span {
  readonly activity: string;
  readonly from: number;
  readonly to: number;
}

/** An empty timeline. */
export function newTimeline(): Timeline {
  const spans: Span[] = [];
  const latest = new Map<string, number>();
  const running = new Map<string, number>();
  const add = (activity: string, from: number, to: number) => {
    if (from < to) spans.push({ activity, from, to });
  };
  return {
    input: (thread, atMs) => {
      latest.set(thread, atMs);
    },
    output: (thread, atMs) => {
      const since = latest.get(thread);
      if (since !== undefined) add(transcriptActivities.model, since, atMs);
      latest.set(thread, atMs);
    },
    toolStarted: (id, atMs) => {
      running.set(id, atMs);
    },
    toolEnded: (id, atMs) => {
      const since = running.get(id);
      if (since !== undefined) add(transcriptActivities.tools, since, atMs);
      running.delete(id);
    },
    spans: () => spans,
  };
}

/** Spans as episodes, those of one activity that touch or overlap as one: a day has thousands. */
export function episodesOf(spans: readonly Span[], declared: TranscriptKind): Episode[] {
  const sorted = [...spans].sort((one, two) => one.from - two.from || one.to - two.to);
  const open = new Map<string, Span>();
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = open.get(span.activity);
    if (last !== undefined && span.from <= last.to) {
      open.set(span.activity, { ...last, to: Math.max(last.to, span.to) });
      continue;
    }
    if (last !== undefined) merged.push(last);
    open.set(span.activity, span);
  }
  merged.push(...open.values());
  return merged
    .sort((one, two) => one.from - two.from || (one.activity < two.activity ? -1 : 1))
    .map(({ activity, from, to }) => ({
      kind: 'episode',
      activity,
      startedAt: new Date(from).toISOString(),
      endedAt: new Date(to).toISOString(),
      declared,
    }));
}
