import { z } from 'zod';
import { macroAggregate, microAggregate } from '../aggregateDomains.ts';
import { avgMover } from '../avgMover.ts';
import { fractionText } from '../fraction.ts';
import { fractionNumber } from '../fractionNumber.ts';
import { avgAtN, passAtK, passHatK } from '../perTask.ts';
import { reportedAvg } from '../reportedAvg.ts';
import { roundTenths } from '../roundTenths.ts';
import { clusteredSe, taskInterval } from '../taskInterval.ts';
import { taskSums } from '../taskSums.ts';
import { wilson } from '../wilson.ts';
import type { Runners } from './runner.ts';
import { bounds, figures, numbers, share } from './runner.ts';

/** Scores and intervals of one cell or one row. */
export const estimates: Runners = {
  roundTenths: (input) => {
    const { K, N } = figures('K', 'N').parse(input);
    return roundTenths(share(K, N));
  },
  perTask: (input) => {
    const trials = figures('n', 'c', 'k').parse(input);
    const [some, all] = [passAtK(trials), passHatK(trials)];
    return {
      passAtK: fractionNumber(some),
      passHatK: fractionNumber(all),
      avg: fractionNumber(avgAtN(trials)),
      passAtKFraction: fractionText(some),
      passHatKFraction: fractionText(all),
    };
  },
  wilson: (input) => {
    const { K, n } = figures('K', 'n').parse(input);
    return { score: K / n, interval: bounds(wilson({ score: K / n, n })) };
  },
  taskInterval: (input) => {
    const { successesPerTask, rewards, k } = z
      .object({ successesPerTask: numbers.optional(), rewards: numbers.optional(), k: z.number() })
      .parse(input);
    const sums = taskSums({ counts: successesPerTask ?? rewards ?? [], k });
    const { score, nEff, interval } = taskInterval(sums);
    return { successes: sums.sumC, n: sums.n, k: sums.k, score, nEff, interval: bounds(interval) };
  },
  macroMicro: (input) => {
    const domain = z.object({ K: z.number(), n: z.number() });
    const { domains } = z.object({ domains: z.array(domain) }).parse(input);
    const [micro, macro] = [microAggregate(domains), macroAggregate(domains)];
    return {
      micro: {
        K: micro.score.numerator,
        n: micro.score.denominator,
        score: fractionNumber(micro.score),
        shown: roundTenths(micro.score),
        interval: bounds(micro.interval),
      },
      macro: {
        scoreFraction: fractionText(macro.fraction),
        score: macro.score,
        interval: bounds(macro.interval),
      },
    };
  },
  avg: (input) => {
    const reported = z.object({ percentTenths: numbers }).safeParse(input);
    if (reported.success) return { avg: reportedAvg(reported.data.percentTenths), interval: null };
    const cell = z
      .object({ K: z.number(), N: z.number(), interval: z.tuple([z.number(), z.number()]) })
      .transform(({ K, N, interval: [low, high] }) => ({ score: share(K, N), interval: { low, high } }));
    const missing = z.literal('any cell null').transform(() => [null]);
    const { cells } = z.object({ cells: z.union([z.array(cell), missing]) }).parse(input);
    const avg = avgMover(cells);
    return (
      avg && {
        avgFraction: fractionText(avg.fraction),
        avg: avg.score,
        shown: roundTenths(avg.fraction),
        interval: bounds(avg.interval),
      }
    );
  },
  bootstrapIfYouKeepIt: (input) => {
    const { taskScores } = z.object({ taskScores: numbers }).parse(input);
    const sums = taskSums({ counts: taskScores, k: 1 });
    return {
      mean: taskInterval(sums).score,
      se: clusteredSe(sums),
      enumeratedMeans: resampledMeans(taskScores),
    };
  },
};

/** Every one of the n^n resamples, as sorted [mean, how many resamples have it]. */
function resampledMeans(scores: readonly number[]): readonly (readonly [number, number])[] {
  const totals = scores.reduce<readonly number[]>(
    (sums) => sums.flatMap((sum) => scores.map((score) => sum + score)),
    [0],
  );
  const counts = new Map<number, number>();
  for (const total of totals) counts.set(total, (counts.get(total) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b).map(([total, times]) => [total / scores.length, times]);
}
