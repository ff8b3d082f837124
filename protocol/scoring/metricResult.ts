import type { MetricResult } from '../messages/report.ts';
import type { Fraction } from './fraction.ts';
import { metricNamed } from './metrics.ts';
import type { TaskInterval } from './taskInterval.ts';
import { taskInterval } from './taskInterval.ts';
import type { TaskSums } from './taskSums.ts';

/**
 * What a report says of one metric: its name, n tasks, k trials a task, the sums over tasks, and the interval that
 * follows from them.
 *
 * name, trials  as metricNamed takes them.
 * counts        whole successes per task, n ≥ 1.
 * returns       k is the track's trials also for pass@k, whose sums count a task once; sumC2 is null where the
 *               interval doesn't need it.
 * throws        RangeError as metricNamed and Metric.sums.
 */
export function metricResult({ name, trials, counts }: MetricResultInput): MetricResult {
  const metric = metricNamed(name, trials);
  const sums = metric.sums(counts);
  const { low, high } = metric.interval(sums);
  const sumC2 = sums.k > 1 ? sums.sumC2 : null;
  return { name: metric.name, n: sums.n, k: trials, sumC: sums.sumC, sumC2, low, high };
}

/** A metric, the track's trials, and what became of each task. */
export type MetricResultInput = {
  readonly name: string;
  readonly trials: number;
  readonly counts: readonly number[];
};

/**
 * The score and interval that a report's sums give, whatever interval the report claims.
 *
 * throws  RangeError when the name is unknown, doesn't fit k, or no counts could give these sums.
 */
export function scoreOfResult(result: MetricResult): TaskInterval & { readonly fraction: Fraction } {
  const metric = metricNamed(result.name, result.k);
  const needed = metric.outOf > 1 && result.sumC2 !== null ? { sumC2: result.sumC2 } : {};
  const sums: TaskSums = { n: result.n, k: metric.outOf, sumC: result.sumC, ...needed };
  return { ...taskInterval(sums), fraction: metric.score(sums) };
}
