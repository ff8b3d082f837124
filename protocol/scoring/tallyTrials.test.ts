import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TrialFact, TrialOutcome } from './tallyTrials.ts';
import { tallyTrials } from './tallyTrials.ts';

const tasks = ['a', 'b', 'c'];
const k = 2;
const reward = (value: number): TrialOutcome => ({ kind: 'reward', reward: value });
const full = (outcome: TrialOutcome): TrialFact[] =>
  tasks.flatMap((task) => [0, 1].map((trial) => ({ task, trial, outcome })));

const outcomes = fc.oneof(
  fc.constantFrom(reward(0), reward(1), reward(0.5)),
  fc.constant<TrialOutcome>({ kind: 'spoiled' }),
);

it('a complete grading counts the same in every order and however often its trials are delivered', () => {
  fc.assert(
    fc.property(
      fc.array(outcomes, { minLength: 6, maxLength: 6 }),
      fc.array(fc.nat(5)),
      fc.nat(),
      (all, again, seed) => {
        const trials = full(reward(0)).map((fact, i) => ({ ...fact, outcome: all[i] ?? fact.outcome }));
        const counts = tasks.map((_, i) =>
          all.slice(2 * i, 2 * i + 2).reduce((sum, one) => sum + (one.kind === 'reward' ? one.reward : 0), 0),
        );
        const repeated = [...trials, ...again.flatMap((at) => trials.slice(at, at + 1))];
        const turned = [
          ...repeated.slice(seed % repeated.length),
          ...repeated.slice(0, seed % repeated.length),
        ];
        expect(tallyTrials({ tasks, k, trials: turned })).toEqual({ kind: 'complete', counts });
      },
    ),
  );
});

it('a trial the system spoiled counts 0 and stays in the denominator', () => {
  const trials = full(reward(1)).map(
    (fact, i): TrialFact => (i === 3 ? { ...fact, outcome: { kind: 'spoiled' } } : fact),
  );
  expect(tallyTrials({ tasks, k, trials })).toEqual({ kind: 'complete', counts: [2, 1, 2] });
});

it('one unresolved trial of ours means no score at all, delivered once or twice', () => {
  const trials = full(reward(1)).map(
    (fact, i): TrialFact => (i === 0 ? { ...fact, outcome: { kind: 'unresolved' } } : fact),
  );
  const unscored = { kind: 'unscored', unresolved: 1, possible: { low: 5, high: 6 } };
  expect(tallyTrials({ tasks, k, trials })).toEqual(unscored);
  expect(tallyTrials({ tasks, k, trials: [...trials, ...trials] })).toEqual(unscored);
});

it('every missing trial refuses the tally: n·k never shrinks', () => {
  for (const [i] of full(reward(1)).entries()) {
    const tally = tallyTrials({ tasks, k, trials: full(reward(1)).toSpliced(i, 1) });
    expect(tally).toEqual({ kind: 'refused', problems: ['5 trials are here; n·k = 3·2 = 6 are needed.'] });
  }
});

it('lists every problem at once', () => {
  const trials: TrialFact[] = [
    ...full(reward(1)),
    { task: 'a', trial: 0, outcome: reward(0) },
    { task: 'a', trial: 1, outcome: { kind: 'spoiled' } },
    { task: 'z', trial: 0, outcome: reward(1) },
    { task: 'b', trial: 2, outcome: reward(1) },
    { task: 'b', trial: 0.5, outcome: reward(1) },
    { task: 'c', trial: 0, outcome: reward(Number.NaN) },
    { task: 'c', trial: 1, outcome: reward(1.5) },
  ];
  const tally = tallyTrials({ tasks, k, trials });
  expect(tally).toEqual({
    kind: 'refused',
    problems: [
      'Trial 0 of task a has two different outcomes; rewards are never summed.',
      'Trial 1 of task a has two different outcomes; rewards are never summed.',
      "Task z isn't in the split.",
      "Trial 2 of task b isn't in 0…1.",
      "Trial 0.5 of task b isn't in 0…1.",
      "Trial 0 of task c: Reward NaN isn't in [0, 1].",
      "Trial 1 of task c: Reward 1.5 isn't in [0, 1].",
    ],
  });
});

it('a split without tasks or with one name twice is refused', () => {
  expect(() => tallyTrials({ tasks: [], k, trials: [] })).toThrow(RangeError);
  expect(() => tallyTrials({ tasks: ['a', 'a'], k, trials: [] })).toThrow(RangeError);
});
