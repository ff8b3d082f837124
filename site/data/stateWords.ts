/** A submission's state in words that a newcomer understands. */
export function stateWords(state: string): string {
  return words[state] ?? state;
}

/** The way of a final, state by state, as the page draws it. */
export const finalPath = ['committed', 'checking', 'queued', 'grading', 'graded', 'published'] as const;

const words: Readonly<Record<string, string>> = {
  committed: 'committed',
  uploading: 'uploading',
  checking: 'being inspected',
  refused: 'refused',
  lapsed: 'lapsed: its bytes never came',
  queued: 'waiting for a runner',
  grading: 'being replayed',
  graded: 'scored, waiting for the release',
  published: 'published',
  withdrawn: 'withdrawn',
  held: 'held for a look by a maintainer',
  disqualified: 'disqualified',
};
