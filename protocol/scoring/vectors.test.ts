import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z975 } from './interval.ts';
import { normalQuantile } from './normalTail.ts';
import { scoreWithFreeRetry } from './retries.ts';
import { denominators } from './vectorRunners/denominators.ts';
import { estimates } from './vectorRunners/estimates.ts';
import { pairs } from './vectorRunners/pairs.ts';
import { planning } from './vectorRunners/planning.ts';
import type { Runners } from './vectorRunners/runner.ts';
import { wholeBoard } from './vectorRunners/wholeBoard.ts';

const runners: Runners = { ...estimates, ...denominators, ...pairs, ...planning, ...wholeBoard };

const caseSchema = z.looseObject({ name: z.string().optional(), input: z.unknown(), expect: z.unknown() });
const groupSchema = z.looseObject({ cases: z.array(caseSchema).min(1) });
const file = z
  .looseObject({
    constants: z.strictObject({ z975: z.number(), z80: z.number(), alpha: z.number(), power: z.number() }),
    vectors: z.record(z.string(), groupSchema),
  })
  .parse(JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')));

/** 1e-9 relative; everything else that isn't listed below is exact. */
const pKeys = new Set(['p', 'pExact', 'pMid', 'pTwoSided', 'holm', 'holmAvg', 'holmT1', 'alpha']);

/** 1e-9 absolute. */
const estimateKeys = new Set(
  `score interval nEff avg passAtK passHatK difference z minimumDetectableDifference leakBits chanceFinalBelowPeak
   eJ optimismPointsAt150TasksHalf flip withinSe mean se enumeratedMeans`.split(/\s+/),
);

/** Words of an expectation that say what a person does about it, not what a function returns. */
const prose = new Set(['reason']);

describe('known answers', () => {
  it('has a runner for every group and a group for every runner, 167 cases in 23 groups', () => {
    expect(Object.keys(file.vectors).sort()).toEqual(Object.keys(runners).sort());
    const cases = Object.values(file.vectors).reduce((total, group) => total + group.cases.length, 0);
    expect([Object.keys(file.vectors).length, cases]).toEqual([23, 167]);
  });

  it('uses the stated constants', () => {
    expect(z975).toBe(file.constants.z975);
    expect(normalQuantile(file.constants.alpha / 2)).toBeCloseTo(file.constants.z975, 12);
    expect(normalQuantile(1 - file.constants.power)).toBeCloseTo(file.constants.z80, 12);
  });

  it('gives the stated bias of one free retry', () => {
    const bias = z.array(z.object({ p: z.number(), afterOneFreeRetry: z.number() })).min(1);
    for (const { p, afterOneFreeRetry } of bias.parse(file.vectors.denominator?.retryBias))
      expect(scoreWithFreeRetry(p)).toBeCloseTo(afterOneFreeRetry, 12);
  });

  const inputOf = (group: string, at: number) => file.vectors[group]?.cases[at]?.input;
  for (const [name, group] of Object.entries(file.vectors)) {
    describe(name, () => {
      group.cases.forEach((known, at) => {
        it(`case ${at}: ${known.name ?? JSON.stringify(known.input).slice(0, 80)}`, () => {
          const runner = runners[name];
          if (!runner) throw new Error(`Group ${name} has no runner.`);
          if (refusedByThrow(known.expect, name)) {
            expect(() => runner(known.input, inputOf)).toThrow(RangeError);
          } else {
            agree(runner(known.input, inputOf), known.expect, [name]);
          }
        });
      });
    });
  }
});

/** rewardInput answers a hostile reward with a value; everywhere else a refused input is a RangeError. */
function refusedByThrow(expected: unknown, group: string): boolean {
  return group !== 'rewardInput' && typeof expected === 'string' && /^(refuse|not comparable)/.test(expected);
}

/** Fails unless everything that is expected is there, at its tolerance. */
function agree(actual: unknown, expected: unknown, path: readonly string[]): void {
  const at = path.join('.');
  if (expected === null && at.endsWith('Fraction')) return; // too long for the file, checked as a number
  if (typeof expected === 'string' && expected.startsWith('no score')) {
    expect(actual, at).toBe('no score');
  } else if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) expect.fail(`${at} isn't a list`);
    expect(actual, at).toHaveLength(expected.length);
    for (const [i, value] of expected.entries()) agree(actual[i], value, [...path, `${i}`]);
  } else if (typeof expected === 'object' && expected !== null) {
    const record = z.record(z.string(), z.unknown()).parse(actual);
    for (const [key, value] of Object.entries(expected))
      if (!prose.has(key)) agree(record[key], value, [...path, key]);
  } else if (typeof expected === 'number') {
    const number = z.number().parse(actual);
    expect(Math.abs(number - expected), `${at}: ${number} for ${expected}`).toBeLessThanOrEqual(
      tolerance(path, expected),
    );
  } else {
    expect(actual, at).toBe(expected);
  }
}

function tolerance(path: readonly string[], expected: number): number {
  if (path.some((key) => pKeys.has(key))) return 1e-9 * Math.abs(expected);
  return path.some((key) => estimateKeys.has(key)) ? 1e-9 : 0;
}
