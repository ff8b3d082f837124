import { normalTail } from './normalTail.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * How much the best of J validation results flatters: with J designs of equal true quality the last is below
 * the peak with chance (J−1)/J, and the peak exceeds the truth by e_J standard errors on average.
 *
 *     e_J = E max of J standard normals = ∫₀^∞ [1 − Φ(x)^J − Φ(−x)^J] dx
 *
 * designs  J, whole, ≥ 1.
 * returns  chanceFinalBelowPeak in [0, 1) and eJ ≥ 0 (absolute error below 1e-12 up to J = 10⁶).
 * So "lost its peak" is said only when the paired test of final against peak, with Holm over the J − 1 earlier
 * designs, is significant; and the peak is always drawn with its interval.
 */
export function peakOptimism(designs: number): {
  readonly chanceFinalBelowPeak: number;
  readonly eJ: number;
} {
  const J = wholeNumber('The number of designs', designs, { min: 1 });
  return { chanceFinalBelowPeak: (J - 1) / J, eJ: expectedMaximum(J) };
}

/**
 * By how much, as a share, the peak of J designs exceeds the truth on average: eJ · √(p(1−p)/n) for n tasks of
 * one trial at score p.
 */
export function peakOptimismShare({ designs, tasks, score }: PeakInput): number {
  wholeNumber('The number of tasks', tasks, { min: 1 });
  if (!(score >= 0 && score <= 1)) throw new RangeError(`Score is ${score}; it must be in [0, 1].`);
  return expectedMaximum(designs) * Math.sqrt((score * (1 - score)) / tasks);
}

/** Number of designs tried, tasks in the validation split, and the score they truly have. */
export type PeakInput = { readonly designs: number; readonly tasks: number; readonly score: number };

/** Simpson's rule on [0, 12]; the integrand is smooth, and below 1e-26 from there on for a million designs. */
function expectedMaximum(J: number): number {
  if (J === 1) return 0;
  const [end, cells] = [12, 4096];
  const step = end / cells;
  let sum = 0;
  for (let i = 0; i <= cells; i++) {
    const tail = normalTail(i * step);
    // 1 − (1 − tail)^J without losing the digits of a small tail.
    const value = -Math.expm1(J * Math.log1p(-tail)) - tail ** J;
    sum += value * (i === 0 || i === cells ? 1 : i % 2 === 1 ? 4 : 2);
  }
  return (sum * step) / 3;
}
