import { normalQuantile } from './normalTail.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * The smallest true difference that a paired test on n tasks finds with this power.
 *
 *     (z_{1−α/2} + z_power) · √(ψ/n)
 *
 * n        tasks, ≥ 1.
 * psi      mean of D²/k² in [0, 1]: for k = 1 the share of tasks on which the two systems differ.
 * alpha    in (0, 1): 0.05 for one planned pair, 0.05 / (M(M−1)/2) for any pair of M rows.
 * power    in [0.5, 1), 0.8 on the site.
 * returns  a difference of shares; above 1 means that no difference can be found.
 * throws   RangeError outside those ranges.
 */
export function minimumDetectableDifference({ n, psi, alpha, power }: DetectableInput): number {
  wholeNumber('n', n, { min: 1 });
  if (!(psi >= 0 && psi <= 1)) throw new RangeError(`ψ is ${psi}; it must be in [0, 1].`);
  return (normalQuantile(alpha / 2) + normalQuantile(1 - power)) * Math.sqrt(psi / n);
}

/** Number of tasks, their discordance, the error allowed and the power wanted. */
export type DetectableInput = {
  readonly n: number;
  readonly psi: number;
  readonly alpha: number;
  readonly power: number;
};
