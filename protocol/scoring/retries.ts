import { wholeNumber } from './wholeNumber.ts';

/** A result with a larger share of retried trials is held until a maintainer looks. */
export const retriedShareMax = 0.02;

/**
 * Whether a grading is held because more than 2 % of its trials were retried. In integers: 2 of 100 isn't held.
 *
 * retried  trials that ran twice, each counted once; in [0, trials].
 * throws   RangeError outside that range or without trials.
 */
export function heldForRetries({
  retried,
  trials,
}: {
  readonly retried: number;
  readonly trials: number;
}): boolean {
  wholeNumber('The number of trials', trials, { min: 1 });
  wholeNumber('The number of retried trials', retried, { min: 0, max: trials });
  return retried * 100 > trials * (retriedShareMax * 100);
}

/**
 * Why retries are bounded and keep their seed: the share p in [0, 1] becomes p + (1 − p)p for a system that can
 * make each losing trial look like our failure and gets one fresh try.
 */
export function scoreWithFreeRetry(p: number): number {
  return p + (1 - p) * p;
}
