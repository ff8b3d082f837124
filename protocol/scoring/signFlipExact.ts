import type { ReducedFraction } from './fraction.ts';
import { reduceFraction } from './fraction.ts';

/**
 * The p values of signFlip as exact fractions of 2^m sign patterns (m = differences that aren't 0).
 *
 * differences  whole numbers, one per task, any order.
 * returns      fractions in (0, 1]; both 1 when nothing differs.
 *
 * How: the numbers of patterns are the coefficients of Π (1 + x^d)^{m_d} (signFlip says why). They are at most
 * 2^m, so the polynomial fits one big integer with m + 1 bits a coefficient, multiplied by BigInt itself; cost
 * grows with Σ|D|·m bits: a millisecond for 350 tasks, a second for 5,000.
 */
export function signFlipExact(differences: readonly number[]): {
  readonly exact: ReducedFraction;
  readonly mid: ReducedFraction;
} {
  const sizes = differences.filter((d) => d !== 0).map(Math.abs);
  if (sizes.length === 0) return { exact: one, mid: one };
  const total = sizes.reduce((sum, d) => sum + d, 0);
  const observed = Math.abs(differences.reduce((sum, d) => sum + d, 0));
  const { below, at } = patternsUpTo((total - observed) / 2, sizes);
  const patterns = 1n << BigInt(sizes.length);
  // At S = 0 every pattern is at least as extreme, and the two tails share their one middle term.
  if (observed === 0) {
    return { exact: one, mid: reduceFraction({ numerator: 2n * patterns - at, denominator: 2n * patterns }) };
  }
  return {
    exact: reduceFraction({ numerator: 2n * (below + at), denominator: patterns }),
    mid: reduceFraction({ numerator: 2n * below + at, denominator: patterns }),
  };
}

const one: ReducedFraction = { numerator: 1n, denominator: 1n };

/** How many subsets of the sizes sum to exactly `target`, and to less. */
function patternsUpTo(target: number, sizes: readonly number[]): { below: bigint; at: bigint } {
  const width = sizes.length + 1;
  const bits = (target + 1) * width;
  let packed = 1n;
  for (const [size, times] of countBySize(sizes)) {
    // Larger sizes than the target only add terms beyond it.
    if (size > target) continue;
    packed = BigInt.asUintN(bits, packed * (1n + (1n << BigInt(size * width))) ** BigInt(times));
  }
  let below = 0n;
  for (let i = 0; i < target; i++) below += coefficient(packed, i, width);
  return { below, at: coefficient(packed, target, width) };
}

function countBySize(sizes: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const size of sizes) counts.set(size, (counts.get(size) ?? 0) + 1);
  return counts;
}

function coefficient(packed: bigint, index: number, width: number): bigint {
  return BigInt.asUintN(width, packed >> BigInt(index * width));
}
