import type { Result } from './report.ts';

type Failed = Extract<Result, { kind: 'failed' }>;

const systemReasons = {
  weightsUnloadable: 'the engine could not load the weights',
  weightsMismatch: 'the weights are not those of the sealed digest',
} as const satisfies Record<Extract<Failed, { fault: 'system' }>['cause'], string>;

const ourReasons = {
  engine: 'the engine failed',
  runner: 'the runner failed',
  verifier: 'the verifier failed',
  deadline: 'the grading did not end in time',
  cancelled: 'the order was cancelled',
  chunks: 'the bytes did not reach the grader whole',
  split: 'the grader does not hold the split',
  internal: 'the grader failed',
} as const satisfies Record<Extract<Failed, { fault: 'ours' }>['cause'], string>;

/** Why a grading ended without a score, in words for people, and whose doing it was. */
export function failureReason(result: Failed): string {
  return result.fault === 'system' ? systemReasons[result.cause] : `our fault: ${ourReasons[result.cause]}`;
}
