import { expect, test } from 'vitest';
import { newRateLimits } from './rateLimits.ts';

test('a minute’s worth of calls goes through at once, then only as fast as the rate', () => {
  const within = newRateLimits();
  const call = (atMs: number, key = 'a') => within({ key, perMinute: 60, atMs });
  expect(Array.from({ length: 60 }, () => call(0)).every(Boolean)).toBe(true);
  expect(call(0)).toBe(false);
  expect(call(999)).toBe(false);
  expect(call(1_000)).toBe(true);
  expect(call(1_000)).toBe(false);
  expect(call(1_000, 'b')).toBe(true);
});

test('an earlier instant never takes calls away', () => {
  const within = newRateLimits();
  expect(within({ key: 'a', perMinute: 2, atMs: 1e9 })).toBe(true);
  expect(within({ key: 'a', perMinute: 2, atMs: 0 })).toBe(true);
  expect(within({ key: 'a', perMinute: 2, atMs: 0 })).toBe(false);
});

test('200,000 keys hold a bounded memory, and the busiest stays bounded by its rate', () => {
  const within = newRateLimits();
  expect(within({ key: 'busy', perMinute: 1, atMs: 0 })).toBe(true);
  for (let index = 0; index < 200_000; index++) {
    within({ key: `key ${index}`, perMinute: 1, atMs: 0 });
    if (index % 1_000 === 0) expect(within({ key: 'busy', perMinute: 1, atMs: 0 })).toBe(false);
  }
});
