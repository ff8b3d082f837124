import type { Episode, Usage } from '@vtb/protocol/researchLog/line.ts';
import type { Transcript } from './transcript.ts';

/**
 * What of a transcript belongs to a run: calls from its start to its end, and episodes that have time in it.
 *
 * endedAt  null while the run is open.
 * returns  the lines by instant, calls first, and how many were left out.
 */
export function withinRun(
  transcript: Pick<Transcript, 'usage' | 'episodes'>,
  run: { readonly startedAt: string; readonly endedAt: string | null },
): { readonly lines: readonly (Usage | Episode)[]; readonly outside: number } {
  const from = Date.parse(run.startedAt);
  const to = run.endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(run.endedAt);
  const usage = transcript.usage.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) <= to);
  const episodes = transcript.episodes.filter(
    ({ startedAt, endedAt }) => Date.parse(endedAt) > from && Date.parse(startedAt) < to,
  );
  const lines = [...usage, ...episodes];
  return { lines, outside: transcript.usage.length + transcript.episodes.length - lines.length };
}
