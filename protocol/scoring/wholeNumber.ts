/**
 * A count that came from outside, checked: a safe integer in [min, max].
 *
 * returns  the value itself.
 * throws   RangeError naming what, the value and the limits.
 */
export function wholeNumber(
  what: string,
  value: number,
  { min, max = Number.MAX_SAFE_INTEGER }: WholeNumberLimits,
): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const upTo = max === Number.MAX_SAFE_INTEGER ? 'up' : `to ${max}`;
  throw new RangeError(`${what} is ${value}; it must be a whole number from ${min} ${upTo}.`);
}

/** Inclusive limits of a whole number; without max, the largest safe integer. */
export type WholeNumberLimits = { readonly min: number; readonly max?: number };
