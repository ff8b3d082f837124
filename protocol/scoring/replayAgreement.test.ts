import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replayAgreement } from './replayAgreement.ts';

it('flip is the chance that two different trials of a task disagree, averaged over tasks', () => {
  const graded = fc
    .integer({ min: 2, max: 6 })
    .chain((k) =>
      fc.record({ k: fc.constant(k), counts: fc.array(fc.nat(k), { minLength: 1, maxLength: 20 }) }),
    );
  fc.assert(
    fc.property(graded, ({ counts, k }) => {
      const disagreeing = counts.map((c) => {
        const trials = Array.from({ length: k }, (_, i) => i < c);
        const pairs = trials.flatMap((one, i) => trials.toSpliced(i, 1).map((other) => one !== other));
        return pairs.filter(Boolean).length / pairs.length;
      });
      const mean = disagreeing.reduce((sum, share) => sum + share, 0) / counts.length;
      const { flip, withinSe } = replayAgreement({ counts, k });
      expect(flip).toBeCloseTo(mean, 12);
      // Unbiased variance of a Bernoulli from k trials is half the chance that two of them disagree.
      const variance = disagreeing.reduce((sum, share) => sum + share / 2 / k, 0) / counts.length ** 2;
      expect(withinSe).toBeCloseTo(Math.sqrt(variance), 12);
    }),
  );
});

it('one trial a task says nothing about itself and is refused', () => {
  expect(() => replayAgreement({ counts: [1, 0], k: 1 })).toThrow(RangeError);
  expect(() => replayAgreement({ counts: [], k: 2 })).toThrow(RangeError);
  expect(() => replayAgreement({ counts: [3], k: 2 })).toThrow(RangeError);
});
