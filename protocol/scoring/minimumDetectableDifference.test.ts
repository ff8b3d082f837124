import fc from 'fast-check';
import { expect, it } from 'vitest';
import { minimumDetectableDifference } from './minimumDetectableDifference.ts';

it('shrinks with tasks, grows with discordance, with stricter alpha and with power', () => {
  const inputs = fc.record({
    n: fc.integer({ min: 1, max: 2000 }),
    psi: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
    alpha: fc.double({ min: 1e-6, max: 0.2, noNaN: true }),
    power: fc.double({ min: 0.5, max: 0.95, noNaN: true }),
  });
  fc.assert(
    fc.property(inputs, (input) => {
      const difference = minimumDetectableDifference(input);
      const other = (change: Partial<typeof input>) => minimumDetectableDifference({ ...input, ...change });
      expect(other({ n: 4 * input.n })).toBeCloseTo(difference / 2, 12);
      expect(other({ psi: input.psi * 1.1 })).toBeGreaterThan(difference);
      expect(other({ alpha: input.alpha / 2 })).toBeGreaterThan(difference);
      expect(other({ power: input.power + 0.01 })).toBeGreaterThan(difference);
    }),
  );
});

it.each([
  { n: 0, psi: 0.2, alpha: 0.05, power: 0.8 },
  { n: 9, psi: 1.2, alpha: 0.05, power: 0.8 },
  { n: 9, psi: 0.2, alpha: 0, power: 0.8 },
  { n: 9, psi: 0.2, alpha: 0.05, power: 1 },
  { n: 9, psi: 0.2, alpha: 0.05, power: 0.4 },
])('%o is refused', (input) => {
  expect(() => minimumDetectableDifference(input)).toThrow(RangeError);
});
