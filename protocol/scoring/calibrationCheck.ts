import { normalQuantile } from './normalTail.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * Whether a calibration system scored as it should on a runner: quarantine when the exact two-sided binomial p
 * of K of N trials against the reference rate p0 is below alpha.
 *
 *     p = Σ P(X = i) over all i with P(X = i) ≤ P(X = K), ties to 1e-7 counted in
 *
 * returns  p in [0, 1] and the decision. Cautious: on fixed tasks of unequal difficulty the true variance is
 *          smaller than the binomial's.
 * throws   RangeError when K isn't in [0, N], N < 1, or p0 isn't inside (0, 1).
 * Source: R's binom.test, with its tolerance for ties.
 */
export function calibrationCheck({ K, N, p0, alpha }: CalibrationInput): {
  readonly pTwoSided: number;
  readonly quarantine: boolean;
} {
  wholeNumber('N', N, { min: 1 });
  wholeNumber('K', K, { min: 0, max: N });
  if (!(p0 > 0 && p0 < 1)) throw new RangeError(`The reference rate is ${p0}; it must be inside (0, 1).`);
  const chances = binomial(N, p0);
  const observed = (chances[K] ?? 0) * (1 + 1e-7);
  const ascending = chances.filter((chance) => chance <= observed).sort((a, b) => a - b);
  const pTwoSided = Math.min(
    1,
    ascending.reduce((total, chance) => total + chance, 0),
  );
  return { pTwoSided, quarantine: pTwoSided < alpha };
}

/** K successes in N calibration trials, the rate known for these tasks, and calibrationAlpha's alpha. */
export type CalibrationInput = {
  readonly K: number;
  readonly N: number;
  readonly p0: number;
  readonly alpha: number;
};

/**
 * The error rate at which a runner's calibration check raises alarm: allowed false alarms a year over checks a
 * year. A 95 % rule with 8 runners checked daily would quarantine a healthy runner every 2.5 days.
 *
 * returns  alpha in (0, 1], and z, the two-sided normal bound it amounts to.
 * throws   RangeError when there is no check, or more alarms than checks are allowed, or none.
 */
export function calibrationAlpha({ checksPerYear, falseAlarmsPerYear }: AlarmBudget): {
  readonly alpha: number;
  readonly z: number;
} {
  const alpha = falseAlarmsPerYear / checksPerYear;
  if (!(alpha > 0 && alpha <= 1))
    throw new RangeError(
      `${falseAlarmsPerYear} false alarms in ${checksPerYear} checks isn't a share in (0, 1].`,
    );
  return { alpha, z: normalQuantile(alpha / 2) };
}

/** How often runners are checked, and how often a healthy one may be quarantined. */
export type AlarmBudget = { readonly checksPerYear: number; readonly falseAlarmsPerYear: number };

/** P(X = i) for i in 0…N, by the ratio of neighbours outward from the mode, so that nothing is subtracted. */
function binomial(N: number, p0: number): readonly number[] {
  const odds = p0 / (1 - p0);
  const mode = Math.min(N, Math.floor((N + 1) * p0));
  const chances = new Array<number>(N + 1).fill(0);
  chances[mode] = 1;
  for (let i = mode; i < N; i++) chances[i + 1] = ((chances[i] ?? 0) * (N - i) * odds) / (i + 1);
  for (let i = mode; i > 0; i--) chances[i - 1] = ((chances[i] ?? 0) * i) / ((N - i + 1) * odds);
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  return chances.map((chance) => chance / total);
}
