import type { TransitionTable } from './transition.ts';

export const submissionStates = [
  'committed',
  'uploading',
  'checking',
  'refused',
  'lapsed',
  'queued',
  'grading',
  'graded',
  'published',
  'withdrawn',
  'held',
  'disqualified',
] as const;
export type SubmissionState = (typeof submissionStates)[number];

export const submissionEvents = [
  'chunkArrived',
  'sealed',
  'inspectionPassed',
  'inspectionRefused',
  'graceEnded',
  'gradingAccepted',
  'resultArrived',
  'failedAsOurs',
  'published',
  'withdrawn',
  'held',
  'released',
  'disqualified',
  'restored',
] as const;
export type SubmissionEvent = (typeof submissionEvents)[number];

/**
 * The life of a submission. A failure of ours returns it to `queued` with the same sealed digest. `withdrawn` after
 * publication is a mark beside the state, not a state: the score stays. A re-grade leaves a published submission
 * `published`: gradings have their own states, and the shown one is a pointer.
 */
export const submissionTable: TransitionTable<SubmissionState, SubmissionEvent> = {
  committed: { chunkArrived: 'uploading', sealed: 'checking', graceEnded: 'lapsed', withdrawn: 'withdrawn' },
  uploading: { chunkArrived: 'uploading', sealed: 'checking', graceEnded: 'lapsed', withdrawn: 'withdrawn' },
  checking: { inspectionPassed: 'queued', inspectionRefused: 'refused' },
  refused: {},
  lapsed: {},
  queued: {
    gradingAccepted: 'grading',
    resultArrived: 'graded',
    failedAsOurs: 'queued',
    withdrawn: 'withdrawn',
    disqualified: 'disqualified',
  },
  grading: { resultArrived: 'graded', failedAsOurs: 'queued', disqualified: 'disqualified' },
  graded: { published: 'published', held: 'held', disqualified: 'disqualified' },
  published: { held: 'held', disqualified: 'disqualified' },
  withdrawn: {},
  held: { released: 'graded', disqualified: 'disqualified' },
  disqualified: { restored: 'graded' },
};
