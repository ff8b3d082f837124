import type { Episode, Usage } from '@vtb/protocol/researchLog/line.ts';

/** Activities that a transcript can tell apart: the model at work, and what it started. */
export const transcriptActivities = { model: 'model at work', tools: 'tools at work' } as const;

/** What transcripts say of a run's research. */
export interface Transcript {
  /** Each model call once, by instant. */
  readonly usage: readonly Usage[];
  /** By instant; time in which nobody knows what happened, as before a person answers, is in none. */
  readonly episodes: readonly Episode[];
  readonly files: number;
  /** Last lines that were still being written: read them again later. */
  readonly unfinished: number;
  /** Other lines that are not JSON or too long; what they said is not counted. */
  readonly unreadable: number;
}
