/** How the first system of a pair stands to the second. */
export type Verdict = 'better' | 'worse' | 'not distinguishable';

/**
 * The pairs (i, j), i < j, of M rows in the order in which a comparison packs them: (0,1), (0,2), …, (1,2), …
 *
 * rows     M ≥ 0.
 * returns  M(M−1)/2 pairs.
 */
export function pairTriangle(rows: number): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0; i < rows; i++) for (let j = i + 1; j < rows; j++) pairs.push([i, j]);
  return pairs;
}

/**
 * Where the pair (i, j) stands in that order.
 *
 * throws  RangeError unless 0 ≤ i < j < rows.
 */
export function pairIndex(i: number, j: number, rows: number): number {
  if (!(i >= 0 && i < j && j < rows)) throw new RangeError(`(${i}, ${j}) isn't a pair of ${rows} rows.`);
  return (i * (2 * rows - i - 1)) / 2 + (j - i - 1);
}
