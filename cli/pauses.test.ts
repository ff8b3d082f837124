import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPauses } from './pauses.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('a jump of the wall clock between two looks is a pause; a busy machine is none', () => {
  let now = 0;
  const pauses: number[] = [];
  const watch = watchPauses(
    () => now,
    (pausedMs) => pauses.push(pausedMs),
  );
  const look = (laterMs: number) => {
    now += laterMs;
    vi.advanceTimersByTime(1_000);
  };
  look(1_000);
  look(9_000);
  look(601_000);
  look(1_000);
  look(-3_600_000);
  look(1_000);
  expect(pauses).toEqual([600_000]);
  watch[Symbol.dispose]();
  look(900_000);
  expect(pauses).toEqual([600_000]);
});
