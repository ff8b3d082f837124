import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rewardInput } from './rewardInput.ts';

it('accepts exactly the numbers in [0, 1], unchanged', () => {
  fc.assert(
    fc.property(fc.double(), (value) => {
      const result = rewardInput(value);
      expect(result.kind).toBe(value >= 0 && value <= 1 ? 'reward' : 'refused');
      if (result.kind === 'reward') expect(result.reward).toBe(value + 0);
    }),
  );
});

it('never throws and never accepts anything that is not a number', () => {
  fc.assert(
    fc.property(
      fc.anything().filter((value) => typeof value !== 'number'),
      (value) => {
        expect(rewardInput(value).kind).toBe(value === null || value === undefined ? 'none' : 'refused');
      },
    ),
  );
  for (const value of ['1', true, [1], { reward: 1 }, new Number(1), 1n]) {
    expect(rewardInput(value).kind).toBe('refused');
  }
});
