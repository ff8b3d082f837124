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
