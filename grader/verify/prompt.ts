import type { TrialOutcome } from '@vtb/protocol/wire/desk.ts';

/** How a prompt trial went, and its reward. */
export interface PromptVerdict {
  readonly reward: 0 | 1;
  readonly judged: 'done' | 'timeout' | 'turnLimit' | 'truncated' | 'unparsable' | 'empty';
}

/**
 * The reward of a prompt trial: 1 when the last complete \boxed{} after the reasoning holds the expected whole number.
 *
 * A reply that was cut off or timed out is still read (replay.md: timed-out trials are verified too), and named so.
 * thinking  whether the track reasons first: then a reply that never ends its reasoning has no answer.
 */
export function judgePrompt(
  outcome: Extract<TrialOutcome, { kind: 'answered' }>,
  task: { readonly answer: number },
  settings: { readonly thinking: boolean },
): PromptVerdict {
  const answer = afterReasoning(outcome, settings.thinking);
  const boxed = readBoxed(answer);
  const value = boxed === null ? null : wholeNumber(boxed);
  const reward = value !== null && value === BigInt(task.answer) ? 1 : 0;
  if (outcome.end === 'timeout') return { reward, judged: 'timeout' };
  if (outcome.end === 'turnLimit') return { reward, judged: 'turnLimit' };
  if (outcome.end === 'length') return { reward, judged: 'truncated' };
  if (outcome.output.trim() === '') return { reward, judged: 'empty' };
  return { reward, judged: value === null ? 'unparsable' : 'done' };
}

const reasoningEnd = '</think>';

function afterReasoning(outcome: Extract<TrialOutcome, { kind: 'answered' }>, thinking: boolean): string {
  if (outcome.reasoning !== null) return outcome.output;
  const end = outcome.output.lastIndexOf(reasoningEnd);
  if (end >= 0) return outcome.output.slice(end + reasoningEnd.length);
  return thinking ? '' : outcome.output;
}

/** An answer longer than this is none. */
const boxedMax = 400;
/** Unfinished boxes looked at from the end: a reply of nothing else must not cost more than a long one. */
const boxesMax = 1_000;

/** What the last complete \boxed{…} holds, braces inside it balanced; null when there is none. */
export function readBoxed(text: string): string | null {
  const opening = '\\boxed{';
  let at = text.lastIndexOf(opening);
  for (let box = 0; at >= 0 && box < boxesMax; box += 1) {
    const start = at + opening.length;
    let depth = 1;
    for (let place = start; place < text.length && place - start <= boxedMax; place += 1) {
      if (text[place] === '{') depth += 1;
      if (text[place] === '}') depth -= 1;
      if (depth === 0) return text.slice(start, place).trim();
    }
    at = at === 0 ? -1 : text.lastIndexOf(opening, at - 1);
  }
  return null;
}

/** Whole numbers as people write them: sign, leading zeros, thousands in threes; dollar signs around. 062 is 62. */
export function wholeNumber(text: string): bigint | null {
  const bare = text.replaceAll(/[$\s]|\\[,!;]/g, '').replaceAll('{,}', ',');
  const match = /^([+-]?)(\d{1,300}|\d{1,3}(?:,\d{3}){1,99})$/.exec(bare);
  if (match === null) return null;
  const digits = BigInt((match[2] ?? '').replaceAll(',', ''));
  return match[1] === '-' ? -digits : digits;
}
