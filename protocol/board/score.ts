import type { MetricResult } from '../messages/report.ts';
import type { Avg } from '../scoring/avgMover.ts';
import { type Fraction, fractionText } from '../scoring/fraction.ts';
import { fractionNumber } from '../scoring/fractionNumber.ts';
import type { Interval } from '../scoring/interval.ts';
import { scoreOfResult } from '../scoring/metricResult.ts';
import { roundTenths } from '../scoring/roundTenths.ts';
import { intervalTasksMin } from '../scoring/taskInterval.ts';
import type { Score } from './table.ts';

/** A track's score as exact fraction, with the interval its sums give. */
export interface TrackScore {
  readonly fraction: Fraction;
  readonly interval: Interval;
  readonly tasks: number;
}

/**
 * The score that a report's sums give, recomputed here: what the report says about its own interval is not used.
 *
 * throws  RangeError when no trials could give these sums.
 */
export function trackScore(result: MetricResult): TrackScore {
  const { fraction, interval } = scoreOfResult(result);
  return { fraction, interval, tasks: result.n };
}

/** A track's score as the board shows it: counts are not reduced ("402/800"), so that they read as counts. */
export function shownScore({ fraction, interval, tasks }: TrackScore): Score {
  return {
    exact: `${fraction.numerator}/${fraction.denominator}`,
    share: fractionNumber(fraction),
    shown: roundTenths(fraction),
    interval: tasks < intervalTasksMin ? null : interval,
  };
}

/** Avg. as the board shows it; without an interval where any track has too few tasks for one. */
export function shownAvg(avg: Avg, tracks: readonly TrackScore[]): Score {
  const enough = tracks.every(({ tasks }) => tasks >= intervalTasksMin);
  return {
    exact: fractionText(avg.fraction),
    share: avg.score,
    shown: roundTenths(avg.fraction),
    interval: enough ? avg.interval : null,
  };
}
