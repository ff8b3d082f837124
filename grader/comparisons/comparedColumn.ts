import { pairPlace } from '@vtb/protocol/messages/comparison.ts';
import { verdictAlpha } from '@vtb/protocol/scoring/compareColumn.ts';
import { holmBound } from '@vtb/protocol/scoring/holm.ts';
import { pairTriangle, type Verdict } from '@vtb/protocol/scoring/pairTriangle.ts';

/**
 * A ranked list's pair tests, as far as they are done. A thousand rows are half a million pairs, some of which take
 * milliseconds: they are made in steps, and when a list changes, pairs that were in it before are kept.
 *
 * p           per pair in the order of pairTriangle; NaN where it isn't tested yet.
 * difference  of the first row of the pair from the second.
 * next        the first pair that may not be tested yet.
 */
export interface ComparedColumn {
  readonly systems: readonly string[];
  readonly p: Float64Array;
  readonly difference: Float64Array;
  readonly test: PairTest;
  next: number;
}

/** Tests rows i and j of a list. Symmetric: (j, i) has the same p and the negated difference. */
export type PairTest = (i: number, j: number) => { readonly p: number; readonly difference: number };

/** A list's column, with what is known from the column of the list before it. */
export function newColumn(
  systems: readonly string[],
  test: PairTest,
  before: Pick<ComparedColumn, 'systems' | 'p' | 'difference'> | undefined,
): ComparedColumn {
  const pairs = (systems.length * (systems.length - 1)) / 2;
  const column = {
    systems,
    p: new Float64Array(pairs).fill(Number.NaN),
    difference: new Float64Array(pairs),
    test,
    next: 0,
  };
  if (before === undefined) return column;
  const places = new Map(before.systems.map((system, place) => [system, place]));
  const known = systems.map((system) => places.get(system));
  for (const [at, [i, j]] of pairTriangle(systems.length).entries()) {
    const [a, b] = [known[i], known[j]];
    if (a === undefined || b === undefined) continue;
    const from = pairPlace(Math.min(a, b), Math.max(a, b), before.systems.length);
    column.p[at] = before.p[from] ?? Number.NaN;
    column.difference[at] = (a < b ? 1 : -1) * (before.difference[from] ?? 0);
  }
  return column;
}

/** Tests up to `pairsMax` pairs more; true when all of the column's pairs are tested. */
export function continueColumn(column: ComparedColumn, pairsMax: number): boolean {
  const { systems, p, difference, test } = column;
  let left = pairsMax;
  for (; column.next < p.length; column.next += 1) {
    if (!Number.isNaN(p[column.next])) continue;
    if (left === 0) return false;
    left -= 1;
    const [i, j] = pairAt(column.next, systems.length);
    const tested = test(i, j);
    p[column.next] = tested.p;
    difference[column.next] = tested.difference;
  }
  return true;
}

/** The verdicts of a column whose pairs are all tested. throws RangeError before that. */
export function columnVerdicts({ p, difference }: ComparedColumn): readonly Verdict[] {
  const bound = holmBound(p, verdictAlpha);
  return Array.from(difference, (value, at): Verdict => {
    if (value === 0 || !((p[at] ?? 1) < bound)) return 'not distinguishable';
    return value > 0 ? 'better' : 'worse';
  });
}

/** The pair (i, j) at a place of the triangle: the inverse of pairPlace. */
export function pairAt(place: number, count: number): readonly [number, number] {
  let [i, rest] = [0, place];
  while (rest >= count - i - 1) {
    rest -= count - i - 1;
    i += 1;
  }
  return [i, i + 1 + rest];
}
