import type { TrialOutcome } from '@vtb/protocol/wire/desk.ts';
import { describe, expect, test } from 'vitest';
import { judgePrompt, readBoxed, wholeNumber } from './prompt.ts';

type Answered = Extract<TrialOutcome, { kind: 'answered' }>;
const usage = { promptTokens: 1, cachedTokens: 0, generatedTokens: 1 };
const answered = (output: string, changes: Partial<Answered> = {}): Answered => ({
  kind: 'answered',
  end: 'stop',
  output,
  reasoning: null,
  usage,
  durationMs: 1,
  ...changes,
});
const judge = (outcome: Answered, answer = 62, thinking = false) =>
  judgePrompt(outcome, { answer }, { thinking });

describe('a prompt trial’s reward', () => {
  test.each([
    ['plain', 'so \\boxed{62}.', 1],
    ['leading zeros', '\\boxed{062}', 1],
    ['a sign and spaces', '\\boxed{ +62 }', 1],
    ['dollar signs', '\\boxed{$62$}', 1],
    ['the last box counts', '\\boxed{62} no, \\boxed{63}', 0],
    ['the last box counts, the other way', '\\boxed{63} no, \\boxed{62}', 1],
    ['an unfinished box is none', '\\boxed{62} then \\boxed{63', 1],
    ['a box in a box', '\\boxed{\\boxed{62}}', 1],
    ['a decimal is no whole number', '\\boxed{62.0}', 0],
    ['words', '\\boxed{62 apples}', 0],
    ['a number without a box', 'it is 62', 0],
    ['the negative', '\\boxed{-62}', 0],
  ])('%s', (_, output, reward) => {
    expect(judge(answered(output)).reward).toBe(reward);
  });

  test('is read after the reasoning alone', () => {
    expect(judge(answered('<think>\\boxed{62}</think> \\boxed{1}')).reward).toBe(0);
    expect(judge(answered('<think>\\boxed{1}</think> \\boxed{62}'), 62, true).reward).toBe(1);
    expect(judge(answered('\\boxed{62}'), 62, true)).toEqual({ reward: 0, judged: 'unparsable' });
    expect(judge(answered('\\boxed{62}', { reasoning: 'x' }), 62, true).reward).toBe(1);
  });

  test('names what went wrong, and still reads a reply that was cut off', () => {
    expect(judge(answered('\\boxed{62} and', { end: 'length' }))).toEqual({ reward: 1, judged: 'truncated' });
    expect(judge(answered('no', { end: 'timeout' }))).toEqual({ reward: 0, judged: 'timeout' });
    expect(judge(answered('  \n'))).toEqual({ reward: 0, judged: 'empty' });
    expect(judge(answered('hm'))).toEqual({ reward: 0, judged: 'unparsable' });
    expect(judge(answered('\\boxed{1}'))).toEqual({ reward: 0, judged: 'done' });
  });

  test('numbers are compared as numbers, whatever their size', () => {
    expect(wholeNumber('1,234')).toBe(1234n);
    expect(wholeNumber('12,34')).toBeNull();
    expect(wholeNumber('9'.repeat(301))).toBeNull();
    expect(wholeNumber('9007199254740993')).toBe(9007199254740993n);
    expect(wholeNumber('-0')).toBe(0n);
  });

  test('a hostile reply costs no more than a long one', () => {
    const hostile = '\\boxed{'.repeat(250_000);
    const before = performance.now();
    expect(readBoxed(hostile)).toBeNull();
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
