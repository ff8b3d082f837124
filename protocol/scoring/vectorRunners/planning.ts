import { z } from 'zod';
import { calibrationAlpha, calibrationCheck } from '../calibrationCheck.ts';
import { minimumDetectableDifference } from '../minimumDetectableDifference.ts';
import { peakOptimism, peakOptimismShare } from '../peakOptimism.ts';
import { replayAgreement } from '../replayAgreement.ts';
import { overlapLeakBits, scoreLeakBits } from '../scoreLeakBits.ts';
import type { Runners } from './runner.ts';
import { figures, numbers } from './runner.ts';

/** What can be found, what chance alone does, and what numbers give away. */
export const planning: Runners = {
  minimumDetectableDifference: (input) =>
    minimumDetectableDifference({ ...figures('n', 'psi', 'alpha').parse(input), power: 0.8 }),
  calibration: (input, inputOf) => {
    const budget = figures('checksPerYear', 'falseAlarmsPerYear');
    const asked = budget.safeParse(input);
    if (asked.success) return calibrationAlpha(asked.data);
    const { alpha } = calibrationAlpha(budget.parse(inputOf('calibration', 0)));
    const { pTwoSided, quarantine } = calibrationCheck({ ...figures('K', 'N', 'p0').parse(input), alpha });
    return { pTwoSided, quarantineAtAlpha: quarantine };
  },
  trajectory: (input) => {
    const { J } = figures('J').parse(input);
    const optimism = peakOptimismShare({ designs: J, tasks: 150, score: 0.5 });
    return { ...peakOptimism(J), optimismPointsAt150TasksHalf: 100 * optimism };
  },
  replayAgreement: (input, inputOf) => {
    const first = z
      .literal('A of taskInterval[0]')
      .transform(
        () => z.object({ successesPerTask: numbers }).parse(inputOf('taskInterval', 0)).successesPerTask,
      );
    const { successesPerTask, k } = z
      .object({ successesPerTask: z.union([numbers, first]), k: z.number() })
      .parse(input);
    return replayAgreement({ counts: successesPerTask, k });
  },
  leakBits: (input) => {
    const score = figures('N').safeParse(input);
    return score.success
      ? scoreLeakBits(score.data.N)
      : overlapLeakBits(figures('KA', 'KB', 'pairs').parse(input));
  },
};
