import type { GradingRow } from '@vtb/db/public/gradings.ts';

/** Gradings in a row that may fail by our fault before a maintainer has to look. */
export const failuresMax = 3;

/**
 * How many gradings failed by our fault since the last one that a maintainer asked for or that gave a result.
 *
 * gradings  of one submission, oldest first.
 */
export function failuresInRow(gradings: readonly Pick<GradingRow, 'state' | 'cause'>[]): number {
  let failures = 0;
  for (const { state, cause } of gradings) {
    if (cause === 'regrade') failures = 0;
    if (state === 'reported') failures = 0;
    if (state === 'failed') failures += 1;
  }
  return failures;
}
