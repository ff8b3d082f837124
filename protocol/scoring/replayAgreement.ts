import { wholeNumber } from './wholeNumber.ts';

/**
 * How far two replays of one system may differ by chance, from its own repeated trials.
 *
 *     flip = mean of 2c(k−c) / k(k−1);  withinSe = √Σ c(k−c) / (k²(k−1)) / n
 *
 * counts   whole successes per task in [0, k], n ≥ 1.
 * k        trials a task, ≥ 2: one trial says nothing about its own spread.
 * returns  flip: expected share of tasks whose outcome changes between two replays of one trial each;
 *          withinSe: standard error of the mean over k trials on these fixed tasks.
 * throws   RangeError for k < 2, no task, or an impossible count.
 */
export function replayAgreement({ counts, k }: { readonly counts: readonly number[]; readonly k: number }): {
  readonly flip: number;
  readonly withinSe: number;
} {
  wholeNumber('k', k, { min: 2 });
  const n = wholeNumber('The number of tasks', counts.length, { min: 1 });
  const mixed = counts
    .map((c) => wholeNumber('The successes of a task', c, { min: 0, max: k }))
    .reduce((total, c) => total + c * (k - c), 0);
  return {
    flip: (2 * mixed) / (k * (k - 1)) / n,
    withinSe: Math.sqrt(mixed / (k * k * (k - 1))) / n,
  };
}
