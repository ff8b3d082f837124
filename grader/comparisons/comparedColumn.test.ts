import { pairPlace } from '@vtb/protocol/messages/comparison.ts';
import { compareColumn } from '@vtb/protocol/scoring/compareColumn.ts';
import { pairRepeated } from '@vtb/protocol/scoring/pairRepeated.ts';
import { pairTriangle } from '@vtb/protocol/scoring/pairTriangle.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { columnVerdicts, continueColumn, newColumn, type PairTest, pairAt } from './comparedColumn.ts';

it('the place of a pair and the pair at a place are each other’s inverse, in the triangle’s order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), (count) => {
      const pairs = pairTriangle(count);
      expect(pairs.map(([i, j]) => pairPlace(i, j, count))).toEqual(pairs.map((_, place) => place));
      expect(pairs.map((_, place) => pairAt(place, count))).toEqual(pairs);
    }),
  );
});

const k = 2;
const systems = fc
  .array(fc.array(fc.nat(k), { minLength: 12, maxLength: 12 }), { minLength: 2, maxLength: 7 })
  .map((rows) => rows.map((counts, number) => ({ name: `s${number}`, counts })));
type System = { readonly name: string; readonly counts: readonly number[] };

/** A column over these systems that also counts its tests. */
function columnOf(list: readonly System[], before?: ReturnType<typeof newColumn>) {
  const made = { tests: 0 };
  const test: PairTest = (i, j) => {
    made.tests += 1;
    const { pMid: p, difference } = pairRepeated({
      a: list[i]?.counts ?? [],
      b: list[j]?.counts ?? [],
      k,
    });
    return { p, difference };
  };
  const column = newColumn(
    list.map(({ name }) => name),
    test,
    before,
  );
  return { column, made };
}

const whole = (list: readonly System[]) =>
  compareColumn({ rows: list.map(({ counts }) => counts), k }).verdicts;

it('a column made in steps gives the verdicts of one made at once', () => {
  fc.assert(
    fc.property(systems, fc.integer({ min: 1, max: 5 }), (list, pairsMax) => {
      const { column, made } = columnOf(list);
      while (!continueColumn(column, pairsMax));
      expect(columnVerdicts(column)).toEqual(whole(list));
      expect(made.tests).toBe(column.p.length);
    }),
  );
});

it('a changed list, in any order and with rows gone and new, is compared as if afresh, and pairs it had are not tested again', () => {
  fc.assert(
    fc.property(
      systems.chain((list) =>
        fc.tuple(fc.shuffledSubarray(list, { minLength: 2 }), fc.shuffledSubarray(list, { minLength: 2 })),
      ),
      ([first, second]) => {
        const { column: before } = columnOf(first);
        while (!continueColumn(before, 3));
        const { column, made } = columnOf(second, before);
        while (!continueColumn(column, 3));
        expect(columnVerdicts(column)).toEqual(whole(second));
        const kept = second.filter(({ name }) => before.systems.includes(name)).length;
        expect(made.tests).toBe(column.p.length - (kept * (kept - 1)) / 2);
      },
    ),
  );
});

it('verdicts are not told before every pair is tested', () => {
  const { column } = columnOf([0, 1, 2].map((n) => ({ name: `s${n}`, counts: [n, n] })));
  expect(continueColumn(column, 2)).toBe(false);
  expect(() => columnVerdicts(column)).toThrow(RangeError);
});
