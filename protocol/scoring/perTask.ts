import type { ReducedFraction } from './fraction.ts';
import { reduceFraction } from './fraction.ts';
import { wholeNumber } from './wholeNumber.ts';

/** One task's trials: n tried, c of them successes, 0 ≤ c ≤ n, n ≥ 1. */
export type TaskTrials = { readonly n: number; readonly c: number };

/**
 * Chance that at least one of k trials drawn from this task's n succeeds, without bias:
 *
 *     pass@k = 1 − C(n−c, k) / C(n, k)
 *
 * throws  RangeError when n < k (fewer trials than k), c > n, or n or k below 1.
 * Source: Chen et al. 2021 (arXiv 2107.03374).
 */
export function passAtK(input: TaskTrials & { readonly k: number }): ReducedFraction {
  const { n, c, k } = checked(input);
  const ways = choose(n, k);
  return reduceFraction({ numerator: ways - choose(n - c, k), denominator: ways });
}

/**
 * Chance that all of k trials drawn from this task's n succeed: pass^k = C(c, k) / C(n, k).
 *
 * throws  as passAtK.
 * Source: Yao et al. 2024, τ-bench (arXiv 2406.12045).
 */
export function passHatK(input: TaskTrials & { readonly k: number }): ReducedFraction {
  const { n, c, k } = checked(input);
  return reduceFraction({ numerator: choose(c, k), denominator: choose(n, k) });
}

/** Share of this task's trials that succeed: avg@n = c / n. Throws RangeError when c > n or n < 1. */
export function avgAtN(input: TaskTrials): ReducedFraction {
  const { n, c } = checked({ ...input, k: 1 });
  return reduceFraction({ numerator: c, denominator: n });
}

function checked({ n, c, k }: TaskTrials & { readonly k: number }) {
  wholeNumber('The number of trials n', n, { min: 1 });
  wholeNumber('The number of successes c', c, { min: 0, max: n });
  wholeNumber('k', k, { min: 1, max: n });
  return { n, c, k };
}

/** Binomial coefficient as bigint; 0 when k > n. Every division is exact because C(n, i) is whole. */
function choose(n: number, k: number): bigint {
  if (k > n) return 0n;
  let ways = 1n;
  for (let i = 1; i <= Math.min(k, n - k); i++) ways = (ways * BigInt(n - i + 1)) / BigInt(i);
  return ways;
}
