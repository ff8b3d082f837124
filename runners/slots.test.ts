import { expect, test } from 'vitest';
import { slotUid } from './isolation/slotUid.ts';
import { leaseSlots, uidIsAlive } from './slots.ts';

test('a replay’s slots differ, and none is one that something runs under', () => {
  const offered = [5, 5, 6, 5, 7, 8];
  const slots = leaseSlots({
    random: () => offered.shift() ?? 0,
    isAlive: (uid) => uid === slotUid(6),
  });
  expect(slots).toEqual({ engine: 5, proxy: 7, calibration: 8 });
});

test('this process’s own uid is alive, and one that nobody has is not', () => {
  const isAlive = uidIsAlive();
  expect(isAlive(process.getuid?.() ?? 0)).toBe(true);
  expect(isAlive(slotUid(123_456))).toBe(false);
});
