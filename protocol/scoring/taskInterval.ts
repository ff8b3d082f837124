import type { Interval } from './interval.ts';
import type { TaskSums } from './taskSums.ts';
import { checkTaskSums } from './taskSums.ts';
import { wilson } from './wilson.ts';

/** A track's mean with what it is worth: score and interval as shares, nEff in [n, n·k]. */
export type TaskInterval = { readonly score: number; readonly nEff: number; readonly interval: Interval };

/**
 * Mean per task with its 95 % interval: Wilson on the effective sample size, because trials of one task
 * aren't independent.
 *
 *     p = Σc / nk,  V = Σ(c_i/k − p)² / n²,  nEff = clamp(p(1−p)/V, n, nk)
 *         = clamp(n · Σc (nk − Σc) / (n Σc² − (Σc)²), n, nk)
 *
 * sums     n tasks, k trials each, Σc and (k > 1) Σc².
 * returns  score, nEff and the interval. p at 0 or 1: nEff = n, the cautious end. All tasks alike with p
 *          inside (0, 1): nEff = nk. k = 1: exactly Wilson on n tasks.
 * throws   RangeError when no counts could give these sums, or n = 0: no data shows as a dash, never 0.
 * No random numbers: the same sums give the same interval on every machine.
 * Source: Kott 2017 and Dean & Pagano 2015 for Wilson on nEff; clustered variance as in Miller 2024
 * (arXiv 2411.00640).
 */
export function taskInterval(input: TaskSums): TaskInterval {
  const sums = checkTaskSums(input);
  const score = sums.sumC / (sums.n * sums.k);
  const nEff = effectiveSize(sums);
  return { score, nEff, interval: wilson({ score, n: nEff }) };
}

/** Below this many tasks the board shows the fraction alone: an interval would claim to know the spread. */
export const intervalTasksMin = 5;

/** The interval the board shows: null with fewer than intervalTasksMin tasks. Throws as taskInterval. */
export function shownInterval(sums: TaskSums): Interval | null {
  const { interval } = taskInterval(sums);
  return sums.n < intervalTasksMin ? null : interval;
}

/**
 * Standard error of the mean over tasks, √V = √Σ(s_i − p)² / n, in shares: also the exact standard error of
 * the percentile bootstrap over tasks, which is why no bootstrap is run here.
 */
export function clusteredSe(input: TaskSums & { readonly sumC2: number }): number {
  const { n, k } = checkTaskSums(input);
  return Math.sqrt(Math.max(0, spread(input)) / n) / (n * k);
}

function effectiveSize({ n, k, sumC, sumC2 = sumC }: TaskSums): number {
  if (k === 1 || sumC === 0 || sumC === n * k) return n;
  const between = spread({ n, sumC, sumC2 });
  if (between <= 0) return n * k;
  return Math.min(n * k, Math.max(n, (n * sumC * (n * k - sumC)) / between));
}

/** n Σc² − (Σc)² = n Σ(c_i − mean)²; exact while its parts stay below 2^53, as counts do. */
function spread({ n, sumC, sumC2 }: { n: number; sumC: number; sumC2: number }): number {
  return n * sumC2 - sumC * sumC;
}
