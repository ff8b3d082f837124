import type { Verdict } from './pairTriangle.ts';
import { pairTriangle } from './pairTriangle.ts';

/**
 * Compact letters: two rows share a letter exactly when they are not distinguishable. Row B in "ab" shares a
 * with A and b with C although A beats C.
 *
 * rows      M ≥ 0 ranked rows, best first.
 * verdicts  in the order of pairTriangle.
 * returns   one string per row, letters in order of their first row; null when 26 letters aren't enough (or the
 *           search for fewer would take more than 64 sets): then rank ranges are shown alone.
 * Source: insert and absorb, Piepho 2004 (J. Comput. Graph. Stat. 13:456).
 */
export function compactLetters(rows: number, verdicts: readonly Verdict[]): readonly string[] | null {
  let sets: readonly RowSet[] = rows === 0 ? [] : [new Set(Array.from({ length: rows }, (_, row) => row))];
  for (const [at, [i, j]] of pairTriangle(rows).entries()) {
    if (verdicts[at] === 'not distinguishable') continue;
    sets = absorb(
      sets.flatMap((set) => (set.has(i) && set.has(j) ? [without(set, i), without(set, j)] : [set])),
    );
    if (sets.length > setsMax) return null;
  }
  if (sets.length > alphabet.length) return null;
  const lettered = sets
    .map((set) => [...set].sort((a, b) => a - b))
    .sort((a, b) => comparePaths(a, b))
    .map((members, letter) => ({ members: new Set(members), letter: alphabet.charAt(letter) }));
  return Array.from({ length: rows }, (_, row) =>
    lettered.flatMap(({ members, letter }) => (members.has(row) ? [letter] : [])).join(''),
  );
}

type RowSet = ReadonlySet<number>;

const alphabet = 'abcdefghijklmnopqrstuvwxyz';

/** The sets can double with every pair; a display that needs so many is of no use anyway. */
const setsMax = 64;

function without(set: RowSet, row: number): RowSet {
  return new Set([...set].filter((member) => member !== row));
}

/** Drops every set that lies inside another one (the first of equal ones stays). */
function absorb(sets: readonly RowSet[]): readonly RowSet[] {
  return sets.filter(
    (set, at) =>
      !sets.some(
        (other, otherAt) => other !== set && inside(set, other) && (set.size < other.size || otherAt < at),
      ),
  );
}

function inside(set: RowSet, other: RowSet): boolean {
  return [...set].every((row) => other.has(row));
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((row, i) => row !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? Infinity);
}
