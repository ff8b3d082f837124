import { expect, it } from 'vitest';
import { heldForRetries } from './retries.ts';

it('holds a result from the first retry above 2 % on, in integers', () => {
  for (const [retried, trials, held] of [
    [0, 1, false],
    [1, 49, true],
    [1, 50, false],
    [2, 100, false],
    [3, 100, true],
    [16, 800, false],
    [17, 800, true],
  ] as const) {
    expect(heldForRetries({ retried, trials }), `${retried} of ${trials}`).toBe(held);
  }
});

it('never holds at exactly 2 % and always holds at one more, whatever the size', () => {
  for (let times = 1; times <= 20_000; times++) {
    if (heldForRetries({ retried: times, trials: 50 * times })) expect.fail(`held at ${times}`);
    if (!heldForRetries({ retried: times + 1, trials: 50 * times })) expect.fail(`not held at ${times}`);
  }
});

it('more retried trials than trials, and no trials, are refused', () => {
  expect(() => heldForRetries({ retried: 2, trials: 1 })).toThrow(RangeError);
  expect(() => heldForRetries({ retried: 0, trials: 0 })).toThrow(RangeError);
});
