import { expect, test } from 'vitest';
import { cryptoRandom, randomInt, randomItem } from './random.ts';

test('numbers that would favour the low end are drawn again', () => {
  // 2³² mod 3 = 1, so only the very last value is outside the complete cycles.
  const drawn = [2 ** 32 - 1, 2 ** 32 - 2];
  expect(randomInt(() => drawn.shift() ?? 0, 0, 2)).toBe((2 ** 32 - 2) % 3);
  expect(drawn).toEqual([]);
});

test('every number of a range is reached from the same count of 32-bit values', () => {
  // A range of 3 × 2³⁰: without drawing again, its first third would be twice as likely.
  const count = 3 * 2 ** 30;
  const [first, second] = [0, 0];
  expect(randomInt(() => first, 0, count - 1)).toBe(0);
  expect(randomInt(() => second + count - 1, 0, count - 1)).toBe(count - 1);
  const refused = [count, 2 ** 32 - 1, 5];
  expect(randomInt(() => refused.shift() ?? 0, 0, count - 1)).toBe(5);
});

test('both ends of a range are reached and nothing outside it', () => {
  const random = cryptoRandom();
  const seen = new Set(Array.from({ length: 2_000 }, () => randomInt(random, 7, 11)));
  expect([...seen].sort((a, b) => a - b)).toEqual([7, 8, 9, 10, 11]);
});

test('a range without numbers, or with more than 32 bits can tell apart, is refused', () => {
  for (const [low, high] of [
    [1, 0],
    [0, 2 ** 32],
    [0, Number.NaN],
    [0.5, 2],
  ] as const) {
    expect(() => randomInt(() => 0, low, high)).toThrow(RangeError);
  }
  expect(() => randomItem(() => 0, [])).toThrow(RangeError);
});

test('cryptographic randomness uses all 32 bits, in fair parts', () => {
  const random = cryptoRandom();
  const draws = 20_000;
  const ones = new Array<number>(32).fill(0);
  for (let draw = 0; draw < draws; draw += 1) {
    const bits = random();
    ones.forEach((count, bit) => {
      ones[bit] = count + ((bits >>> bit) & 1);
    });
  }
  // Seven standard deviations: a fair bit is outside once in 10¹¹ runs.
  const allowed = 7 * Math.sqrt(draws / 4);
  for (const count of ones) expect(Math.abs(count - draws / 2)).toBeLessThan(allowed);
});
