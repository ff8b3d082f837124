import { rewardInput } from './rewardInput.ts';
import { taskSums } from './taskSums.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * From a grading's trials to one count per task: the denominator is n·k, always.
 *
 * tasks    names of the split's n tasks, distinct, n ≥ 1.
 * k        trials a task, ≥ 1.
 * trials   one fact per task and trial (trial in 0…k−1), any order; a second, identical one changes nothing.
 * returns  complete: c_i = Σ rewards of task i, in the order of `tasks`; trials a system spoiled count 0.
 *          unscored: a trial of ours is unresolved, so there is no score — not a smaller n, not 0 — even
 *          where the outcome couldn't change the metric; `possible` bounds Σ c.
 *          refused: every problem at once (unknown task, trial out of range, two different rewards for one
 *          trial, a reward outside [0, 1], missing trials).
 * throws   RangeError when there is no task, a name appears twice, or k isn't whole.
 */
export function tallyTrials({ tasks, k, trials }: TallyInput): Tally {
  wholeNumber('k', k, { min: 1 });
  wholeNumber('The number of tasks', tasks.length, { min: 1 });
  const slots = new Map(tasks.map((task) => [task, new Map<number, TrialOutcome>()] as const));
  if (slots.size !== tasks.length) throw new RangeError('Two tasks of a split have one name.');

  const problems: string[] = [];
  for (const fact of trials) {
    const problem = place(slots, k, fact);
    if (problem !== null) problems.push(problem);
  }
  const filled = [...slots.values()].reduce((total, slot) => total + slot.size, 0);
  if (filled !== tasks.length * k)
    problems.push(`${filled} trials are here; n·k = ${tasks.length}·${k} = ${tasks.length * k} are needed.`);
  if (problems.length > 0) return { kind: 'refused', problems };

  const counts = tasks.map((task) => count([...(slots.get(task)?.values() ?? [])]));
  const unresolved = trials.filter(({ outcome }) => outcome.kind === 'unresolved');
  const open = new Set(unresolved.map(({ task, trial }) => `${trial} ${task}`)).size;
  if (open === 0) return { kind: 'complete', counts };
  const { sumC } = taskSums({ counts, k });
  return { kind: 'unscored', unresolved: open, possible: { low: sumC, high: sumC + open } };
}

/** What became of one trial: whose fault a missing reward is, is a kind of its own. */
export type TrialOutcome =
  | { readonly kind: 'reward'; readonly reward: number }
  /** The system's fault: crashed, timed out before any verifying, tampered. Counts 0. */
  | { readonly kind: 'spoiled' }
  /** Ours, after all retries. */
  | { readonly kind: 'unresolved' };

/** One trial of one task; trials are numbered from 0. */
export type TrialFact = { readonly task: string; readonly trial: number; readonly outcome: TrialOutcome };

/** A split's tasks, its trials a task, and what became of each. */
export type TallyInput = {
  readonly tasks: readonly string[];
  readonly k: number;
  readonly trials: readonly TrialFact[];
};

/** Counts per task, or why there are none. */
export type Tally =
  | { readonly kind: 'complete'; readonly counts: readonly number[] }
  | {
      readonly kind: 'unscored';
      readonly unresolved: number;
      readonly possible: { readonly low: number; readonly high: number };
    }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

type Slots = ReadonlyMap<string, Map<number, TrialOutcome>>;

function place(slots: Slots, k: number, { task, trial, outcome }: TrialFact): string | null {
  const slot = slots.get(task);
  if (!slot) return `Task ${task} isn't in the split.`;
  if (!Number.isSafeInteger(trial) || trial < 0 || trial >= k)
    return `Trial ${trial} of task ${task} isn't in 0…${k - 1}.`;
  const input = outcome.kind === 'reward' ? rewardInput(outcome.reward) : null;
  if (input?.kind === 'refused') return `Trial ${trial} of task ${task}: ${input.why}`;
  const earlier = slot.get(trial);
  if (earlier && !same(earlier, outcome))
    return `Trial ${trial} of task ${task} has two different outcomes; rewards are never summed.`;
  slot.set(trial, outcome);
  return null;
}

function same(a: TrialOutcome, b: TrialOutcome): boolean {
  return a.kind === b.kind && (a.kind !== 'reward' || b.kind !== 'reward' || a.reward === b.reward);
}

function count(outcomes: readonly TrialOutcome[]): number {
  const rewards = outcomes.map((outcome) => (outcome.kind === 'reward' ? outcome.reward : 0));
  return taskSums({ counts: rewards, k: 1 }).sumC;
}
