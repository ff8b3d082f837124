import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gradingEvents, gradingStates, gradingTable } from './grading.ts';
import { nextOrder, type OpenOrder, startSequence } from './nextOrder.ts';
import { submissionEvents, submissionStates, submissionTable } from './submission.ts';
import { statesBefore, transition } from './transition.ts';

const order = (number: number, over: Partial<OpenOrder> = {}): OpenOrder => ({
  id: `o${number}`,
  number,
  purpose: 'final',
  team: 'a',
  priority: 0,
  nominalMinutes: 10,
  ...over,
});

describe('states', () => {
  test('every submission state can be reached from committed', () => {
    const reached = new Set(['committed']);
    for (let round = 0; round < submissionStates.length; round++) {
      for (const state of submissionStates) {
        if (!reached.has(state)) continue;
        for (const event of submissionEvents) {
          const next = transition(submissionTable, state, event);
          if (next !== undefined) reached.add(next);
        }
      }
    }
    expect([...reached].sort()).toEqual([...submissionStates].sort());
  });

  test('refused, lapsed and withdrawn are ends', () => {
    for (const end of ['refused', 'lapsed', 'withdrawn'] as const) expect(submissionTable[end]).toEqual({});
  });

  test('a grading that was reported, failed or cancelled never moves again', () => {
    for (const end of ['reported', 'failed', 'cancelled'] as const)
      for (const event of gradingEvents) expect(transition(gradingTable, end, event)).toBeUndefined();
  });

  test('statesBefore lists exactly the states in which the event is possible', () => {
    for (const event of gradingEvents) {
      const before = statesBefore(gradingTable, event);
      for (const state of gradingStates)
        expect(before.includes(state)).toBe(transition(gradingTable, state, event) !== undefined);
    }
    expect(statesBefore(submissionTable, 'withdrawn')).toEqual(['committed', 'uploading', 'queued']);
  });
});

describe('nextOrder', () => {
  test('nothing waits, nothing is next', () => expect(nextOrder([], [order(1)])).toBeUndefined());

  test('finals go before validation, then priority, then the team with least at work, then number', () => {
    expect(nextOrder([order(1, { purpose: 'validation', priority: 10 }), order(2)], [])?.number).toBe(2);
    expect(nextOrder([order(1), order(2, { priority: 1 })], [])?.number).toBe(2);
    expect(nextOrder([order(1), order(2, { team: 'b' })], [order(9)])?.number).toBe(2);
    expect(nextOrder([order(2), order(1)], [])?.number).toBe(1);
  });

  test('a team with many orders does not hold up a team with one', () => {
    const waiting = [order(1), order(2), order(3), order(4, { team: 'b' })];
    expect(startSequence(waiting, []).map(({ number }) => number)).toEqual([1, 4, 2, 3]);
  });

  test('the sequence has every waiting order once, whatever order they are listed in', () => {
    const orders = fc.uniqueArray(
      fc.record({
        number: fc.integer({ min: 1, max: 99 }),
        team: fc.constantFrom('a', 'b', 'c'),
        purpose: fc.constantFrom('final' as const, 'validation' as const),
        nominalMinutes: fc.integer({ min: 1, max: 100 }),
      }),
      { selector: ({ number }) => number, maxLength: 12 },
    );
    fc.assert(
      fc.property(orders, (drawn) => {
        const waiting = drawn.map((over) => order(over.number, over));
        const numbers = startSequence(waiting, []).map(({ number }) => number);
        expect([...numbers].sort((a, b) => a - b)).toEqual(
          waiting.map(({ number }) => number).sort((a, b) => a - b),
        );
        expect(startSequence([...waiting].reverse(), []).map(({ number }) => number)).toEqual(numbers);
      }),
    );
  });
});
