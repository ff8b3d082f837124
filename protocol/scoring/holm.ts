/**
 * Holm's step-down adjustment of a family of p values.
 *
 *     sorted ascending: adj_(i) = max over j ≤ i of min(1, (m − j + 1) p_(j))
 *
 * p        m ≥ 0 values in [0, 1], any order. The family is all pairs of ranked rows of a column: baselines and
 *          reported rows are outside, and filters on a page never change it.
 * returns  adjusted values, in the order given; never below p, never above 1.
 * throws   RangeError for a value outside [0, 1].
 * Source: Holm 1979; equals R's p.adjust(method = 'holm').
 */
export function holm(p: readonly number[]): readonly number[] {
  for (const value of p)
    if (!(value >= 0 && value <= 1)) throw new RangeError(`p is ${value}; it must be in [0, 1].`);
  const order = p.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const adjusted = new Array<number>(p.length);
  let floor = 0;
  order.forEach(({ value, index }, rank) => {
    floor = Math.max(floor, Math.min(1, (p.length - rank) * value));
    adjusted[index] = floor;
  });
  return adjusted;
}

/**
 * Where Holm's procedure stops at an error rate: exactly the p values below the bound have an adjusted value below
 * alpha. For families so large that adjusting each value would take seconds.
 *
 * p        as holm takes them.
 * returns  the smallest p that is not rejected; Infinity when all are.
 * throws   RangeError for a value outside [0, 1].
 */
export function holmBound(p: Float64Array, alpha: number): number {
  for (const value of p)
    if (!(value >= 0 && value <= 1)) throw new RangeError(`p is ${value}; it must be in [0, 1].`);
  const sorted = p.slice().sort();
  const stop = sorted.findIndex((value, rank) => !((p.length - rank) * value < alpha));
  return stop < 0 ? Infinity : (sorted[stop] ?? Infinity);
}
