import { decimalFraction } from './decimalFraction.ts';
import type { Fraction } from './fraction.ts';
import { addFractions } from './fraction.ts';
import { fractionNumber } from './fractionNumber.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * All that score and interval need to know of a grading, and all that a receipt carries of it: nothing in it
 * tells which task was solved.
 *
 * n      tasks, ≥ 1.
 * k      the most one task can count: trials a task for mean and avg@k, 1 for pass@k and pass^k.
 * sumC   Σ c_i over tasks, 0 ≤ c_i ≤ k; whole unless rewards are fractional.
 * sumC2  Σ c_i²; needed for k > 1 only, because with k = 1 the interval doesn't depend on it.
 */
export type TaskSums = {
  readonly n: number;
  readonly k: number;
  readonly sumC: number;
  readonly sumC2?: number;
};

/**
 * Sums over tasks of what each task counts.
 *
 * counts   n ≥ 1 numbers c_i in [0, k], in any order: the result is the same for every order.
 * throws   RangeError when empty, when k isn't a whole number ≥ 1, or when a count is outside [0, k].
 * Whole counts are summed as integers; fractional ones as exact decimals, then rounded once.
 */
export function taskSums({
  counts,
  k,
}: {
  readonly counts: readonly number[];
  readonly k: number;
}): Required<TaskSums> {
  wholeNumber('k', k, { min: 1 });
  const n = wholeNumber('The number of tasks', counts.length, { min: 1 });
  for (const c of counts)
    if (!(c >= 0 && c <= k)) throw new RangeError(`A task counts ${c}; it must be in [0, ${k}].`);
  if (counts.every(Number.isSafeInteger)) {
    return { n, k, sumC: sum(counts), sumC2: sum(counts.map((c) => c * c)) };
  }
  const exact = counts.map(decimalFraction);
  return { n, k, sumC: decimalSum(exact), sumC2: decimalSum(exact.map(square)) };
}

/**
 * Sums that came in a message, checked: that some per-task counts could have given them.
 *
 * returns  the sums, with sumC2 where it was given or k = 1 makes it needless.
 * throws   RangeError when n or k is below 1, sumC outside [0, n·k], sumC2 missing for k > 1, below what n
 *          equal counts (or, for whole sums, the flattest whole counts) give, or above what counts of 0 and
 *          k give.
 */
export function checkTaskSums(sums: TaskSums): TaskSums {
  const { n, k, sumC, sumC2 } = sums;
  wholeNumber('The number of tasks n', n, { min: 1 });
  wholeNumber('k', k, { min: 1 });
  if (!(sumC >= 0 && sumC <= n * k))
    throw new RangeError(`Σc is ${sumC}; it must be in [0, n·k] = [0, ${n * k}].`);
  if (sumC2 === undefined) {
    if (k > 1) throw new RangeError(`Σc² is missing; with k = ${k} the interval needs it.`);
    return sums;
  }
  const [least, most] = squaresRange(sums);
  const slack = Number.isSafeInteger(sumC) && Number.isSafeInteger(sumC2) ? 0 : most * 1e-12;
  if (!(sumC2 >= least - slack && sumC2 <= most + slack))
    throw new RangeError(
      `Σc² is ${sumC2}; with n = ${n}, k = ${k}, Σc = ${sumC} it is in [${least}, ${most}].`,
    );
  return sums;
}

/** Least and most Σc² that n counts in [0, k] with this Σc can have. */
function squaresRange({ n, k, sumC, sumC2 }: TaskSums): readonly [number, number] {
  if (!Number.isSafeInteger(sumC) || !Number.isSafeInteger(sumC2)) return [(sumC * sumC) / n, k * sumC];
  const low = Math.floor(sumC / n);
  const higher = sumC - low * n;
  const full = Math.floor(sumC / k);
  const rest = sumC - full * k;
  return [(n - higher) * low * low + higher * (low + 1) * (low + 1), full * k * k + rest * rest];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function decimalSum(values: readonly Fraction[]): number {
  return fractionNumber(addFractions(values));
}

function square({ numerator, denominator }: Fraction): Fraction {
  return { numerator: BigInt(numerator) ** 2n, denominator: BigInt(denominator) ** 2n };
}
