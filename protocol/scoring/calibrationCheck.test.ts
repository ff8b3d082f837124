import fc from 'fast-check';
import { expect, it } from 'vitest';
import { calibrationAlpha, calibrationCheck } from './calibrationCheck.ts';

it('is the binomial two-sided test, against terms computed exactly', () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 25 }),
      fc.nat(),
      fc.integer({ min: 1, max: 19 }),
      (N, seed, twentieth) => {
        const [K, p0] = [seed % (N + 1), twentieth / 20];
        const terms = Array.from({ length: N + 1 }, (_, i) => choose(N, i) * p0 ** i * (1 - p0) ** (N - i));
        const observed = terms[K] ?? 0;
        const p = terms.filter((term) => term <= observed * (1 + 1e-7)).reduce((sum, term) => sum + term, 0);
        expect(calibrationCheck({ K, N, p0, alpha: 0.05 }).pTwoSided).toBeCloseTo(Math.min(1, p), 11);
      },
    ),
  );
});

it('never quarantines a healthy runner more often than it is allowed to', () => {
  const { alpha } = calibrationAlpha({ checksPerYear: 2920, falseAlarmsPerYear: 1 });
  const [N, p0] = [800, 0.91];
  const checks = Array.from({ length: N + 1 }, (_, K) => calibrationCheck({ K, N, p0, alpha }));
  const alarms = checks.flatMap(({ quarantine, pTwoSided }) => (quarantine ? [pTwoSided] : []));
  // The largest p that alarms is the chance of any alarm at all.
  expect(Math.max(...alarms)).toBeLessThan(alpha);
  expect(checks[728]?.quarantine).toBe(false);
  expect([checks[0]?.quarantine, checks[N]?.quarantine]).toEqual([true, true]);
});

it('no check, no trial, and a certain reference rate are refused', () => {
  expect(() => calibrationAlpha({ checksPerYear: 0, falseAlarmsPerYear: 1 })).toThrow(RangeError);
  expect(() => calibrationAlpha({ checksPerYear: 10, falseAlarmsPerYear: 0 })).toThrow(RangeError);
  for (const wrong of [{ N: 0 }, { K: 11 }, { p0: 1 }, { p0: 0 }])
    expect(() => calibrationCheck({ K: 5, N: 10, p0: 0.5, alpha: 0.05, ...wrong })).toThrow(RangeError);
});
