import fc from 'fast-check';
import { expect, it } from 'vitest';
import { holm } from './holm.ts';

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
