import { z } from 'zod';
import { excludeTasks } from '../excludeTasks.ts';
import { fractionNumber } from '../fractionNumber.ts';
import { metricNamed } from '../metrics.ts';
import { pairRepeated } from '../pairRepeated.ts';
import { rewardInput } from '../rewardInput.ts';
import { roundTenths } from '../roundTenths.ts';
import type { Tally, TrialFact, TrialOutcome } from '../tallyTrials.ts';
import { tallyTrials } from '../tallyTrials.ts';
import type { Runners } from './runner.ts';
import { bounds } from './runner.ts';

/** What counts, and out of how many. */
export const denominators: Runners = {
  passAt3Track: (input) => {
    const unresolved = z
      .string()
      .regex(/^one trial unresolved: \d of 2$/)
      .transform((text) => ({ c: Number(text.at(-6)), open: 1 }));
    const task = z.union([z.number().transform((c) => ({ c, open: 0 })), unresolved]);
    const { successesPerTask, k } = z.object({ successesPerTask: z.array(task), k: z.number() }).parse(input);
    const tally = tallied(successesPerTask, k);
    if (tally.kind !== 'complete') return unscoredText(tally);
    return {
      passAt3: cell('pass@3', k, tally.counts),
      avgAt3: cell('avg@3', k, tally.counts),
      passHat3: cell('pass^3', k, tally.counts),
    };
  },
  rewardInput: (input) => {
    if (input === 'second reward for the same task and trial') {
      const again = (reward: number) => tallyTrials({ tasks: ['t'], k: 1, trials: [won(1), won(reward)] });
      if (again(1).kind !== 'complete') return 'refuse: although identical';
      return again(0).kind === 'refused' ? 'refuse unless identical; never sums' : 'accept';
    }
    if (input === 'aggregate reports 89 trials, 88 rows') {
      const tasks = Array.from({ length: 89 }, (_, i) => `${i}`);
      const trials = tasks.slice(1).map((task) => ({ ...won(1), task }));
      return tallyTrials({ tasks, k: 1, trials }).kind === 'refused'
        ? 'refuse: trials must equal n*k'
        : 'accept';
    }
    const spelled: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, '-0': -0 };
    const result = rewardInput(typeof input === 'string' ? (spelled[input] ?? input) : input);
    switch (result.kind) {
      case 'reward':
        return Object.is(result.reward, -0)
          ? 'accept -0'
          : `accept ${input === '-0' ? 'as ' : ''}${result.reward}`;
      case 'none':
        return 'no reward: typed cause, counts 0 if the system spoiled it, unresolved if ours';
      case 'refused':
        return typeof input === 'string' && !(input in spelled) ? 'refuse: a string' : 'refuse';
    }
  },
  denominator: (input) => {
    if (input === 'A graded on 89 tasks, B on 87') {
      const [a, b] = [new Array<number>(89).fill(1), new Array<number>(87).fill(1)];
      return pairRepeated({ a, b, k: 1 });
    }
    const row = rowSchema.parse(input);
    const k = row.k ?? 1;
    const passed = row.passed ?? row.K ?? 0;
    const tasks = (row.trials ?? row.N ?? 0) / k;
    const spoiled = row.systemFailures ?? row.crashed ?? row.empty ?? 0;
    const open = row.unresolved ?? 0;
    const excluded = row.excludedTasks ?? (row.excludedTaskSuccesses === undefined ? 0 : 1);
    const lost = row.excludedTasksPassed ?? row.excludedTaskSuccesses ?? 0;
    const tally = tallied(
      [...spread(lost, excluded, k), ...spread(passed - lost, tasks - excluded, k, { spoiled, open })],
      k,
    );
    if (tally.kind !== 'complete') return unscored(tally, tasks * k);
    const names = tally.counts.map((_, at) => `${at}`);
    const kept = excludeTasks({ tasks: names, counts: tally.counts }, names.slice(0, excluded));
    return { ...cell('mean', k, kept.counts), newVersion: kept.newVersion };
  },
};

const rowSchema = z.strictObject({
  trials: z.number().optional(),
  N: z.number().optional(),
  passed: z.number().optional(),
  K: z.number().optional(),
  k: z.number().optional(),
  systemFailures: z.number().optional(),
  crashed: z.number().optional(),
  empty: z.number().optional(),
  unresolved: z.number().optional(),
  excludedTasks: z.number().optional(),
  excludedTasksPassed: z.number().optional(),
  excludedTaskSuccesses: z.number().optional(),
});

type TaskFacts = { readonly c: number; readonly open?: number; readonly spoiled?: number };

/** `passed` successes packed into the first of `tasks` tasks, failures of either kind into the last ones. */
function spread(
  passed: number,
  tasks: number,
  k: number,
  { spoiled = 0, open = 0 } = {},
): readonly TaskFacts[] {
  return Array.from({ length: tasks }, (_, i) => ({
    c: Math.max(0, Math.min(k, passed - i * k)),
    open: i >= tasks - open ? 1 : 0,
    spoiled: i < tasks - open && i >= tasks - open - spoiled ? 1 : 0,
  }));
}

function tallied(tasks: readonly TaskFacts[], k: number): Tally {
  const trials = tasks.flatMap(({ c, open = 0, spoiled = 0 }, i) =>
    Array.from(
      { length: k },
      (_, trial): TrialFact => ({ task: `${i}`, trial, outcome: outcome(trial, c, k, open, spoiled) }),
    ),
  );
  return tallyTrials({ tasks: tasks.map((_, i) => `${i}`), k, trials });
}

function outcome(trial: number, c: number, k: number, open: number, spoiled: number): TrialOutcome {
  if (trial < c) return { kind: 'reward', reward: 1 };
  if (trial >= k - open) return { kind: 'unresolved' };
  return trial >= k - open - spoiled ? { kind: 'spoiled' } : { kind: 'reward', reward: 0 };
}

function won(reward: number): TrialFact {
  return { task: 't', trial: 0, outcome: { kind: 'reward', reward } };
}

function cell(name: string, trials: number, counts: readonly number[]) {
  const metric = metricNamed(name, trials);
  const sums = metric.sums(counts);
  const score = metric.score(sums);
  return {
    K: score.numerator,
    n: score.denominator,
    N: score.denominator,
    score: fractionNumber(score),
    shown: roundTenths(score),
    interval: bounds(metric.interval(sums)),
  };
}

function unscoredText(tally: Exclude<Tally, { kind: 'complete' }>): string {
  return tally.kind === 'unscored' ? 'no score' : tally.problems.join(' ');
}

function unscored(tally: Exclude<Tally, { kind: 'complete' }>, N: number) {
  if (tally.kind === 'refused') return tally.problems;
  const { low, high } = tally.possible;
  return { score: null, possible: [`${low}/${N}`, `${high}/${N}`] };
}
