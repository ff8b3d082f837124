import type { TransitionTable } from './transition.ts';

export const gradingStates = ['ordered', 'replaying', 'scored', 'reported', 'failed', 'cancelled'] as const;
export type GradingState = (typeof gradingStates)[number];

export const gradingEvents = ['accepted', 'allTrialsResolved', 'reported', 'failed', 'cancelled'] as const;
export type GradingEvent = (typeof gradingEvents)[number];

/** The life of a grading, kept by gateway and grader alike. The gateway never sees `scored`: reports arrive whole. */
export const gradingTable: TransitionTable<GradingState, GradingEvent> = {
  ordered: { accepted: 'replaying', reported: 'reported', failed: 'failed', cancelled: 'cancelled' },
  replaying: {
    accepted: 'replaying',
    allTrialsResolved: 'scored',
    reported: 'reported',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  scored: { reported: 'reported' },
  reported: {},
  failed: {},
  cancelled: {},
};
