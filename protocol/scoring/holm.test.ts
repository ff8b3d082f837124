import fc from 'fast-check';
import { expect, it } from 'vitest';
import { holm, holmBound } from './holm.ts';

const family = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });

it('is the definition: the largest (m − j + 1) p(j) among all p(j) up to this one, capped at 1', () => {
  fc.assert(
    fc.property(family, (p) => {
      const sorted = [...p].sort((a, b) => a - b);
      const defined = p.map((value) =>
        sorted.reduce(
          (most, other, j) => (other <= value ? Math.max(most, Math.min(1, (p.length - j) * other)) : most),
          0,
        ),
      );
      expect(holm(p)).toEqual(defined);
    }),
  );
});

it('never lowers a p, never leaves [0, 1], keeps the order of p values and moves with the order of the list', () => {
  fc.assert(
    fc.property(family, (p) => {
      const adjusted = holm(p);
      expect(holm([...p].reverse())).toEqual([...adjusted].reverse());
      for (const [i, value] of p.entries()) {
        expect(adjusted[i]).toBeGreaterThanOrEqual(value);
        expect(adjusted[i]).toBeLessThanOrEqual(1);
        for (const [j, other] of p.entries())
          if (value <= other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j] ?? 0);
      }
    }),
  );
});

it('a larger family never makes a value smaller', () => {
  fc.assert(
    fc.property(family, fc.double({ min: 0, max: 1, noNaN: true }), (p, more) => {
      const [small, large] = [holm(p), holm([...p, more])];
      for (const [i, value] of small.entries()) expect(large[i]).toBeGreaterThanOrEqual(value);
    }),
  );
});

it('a value that is no probability is refused', () => {
  for (const value of [-0.1, 1.1, Number.NaN]) expect(() => holm([0.5, value])).toThrow(RangeError);
});

it('stops at a bound below which exactly the rejected values lie, ties and rounding included', () => {
  const ties = fc.array(fc.constantFrom(0, 0.0001, 0.004, 0.01, 0.0125, 0.025, 0.05, 0.5, 1), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(fc.oneof(family, ties), fc.constantFrom(0.05, 0.2), (p, alpha) => {
      const bound = holmBound(Float64Array.from(p), alpha);
      expect(p.map((value) => value < bound)).toEqual(holm(p).map((adjusted) => adjusted < alpha));
    }),
  );
  expect(() => holmBound(Float64Array.of(0.5, Number.NaN), 0.05)).toThrow(RangeError);
});
