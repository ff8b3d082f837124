import { expect, test } from 'vitest';
import { boxSlotsMax, slotUid } from './slotUid.ts';

test('slots map to uids of the boxes’ own range', () => {
  expect(slotUid(0)).toBe(1_900_000_000);
  expect(slotUid(boxSlotsMax - 1)).toBeLessThan(2 ** 31);
});

test.each([-1, 0.5, Number.NaN, boxSlotsMax])(
  'slot %s is refused: its uid would be somebody else’s',
  (slot) => {
    expect(() => slotUid(slot)).toThrow(RangeError);
  },
);
