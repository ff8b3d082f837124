import { sha256Hex } from '@vtb/protocol/digest.ts';
import type { PromptTask } from '@vtb/protocol/season/promptSplit.ts';
import type { RandomUint32 } from '../random.ts';
import { type WordmathKind, wordmathKinds } from './wordmathKinds.ts';

/** A problem with its kind; the kind is not part of the task that is asked. */
export interface WordmathTask extends PromptTask {
  readonly kind: WordmathKind;
}

/** What to make: how many of each kind, how their ids start, and what must not come out. */
export interface WordmathRequest {
  readonly perKind: number;
  readonly idPrefix: string;
  /** SHA-256s (64 hex digits) of the problem texts that are public. */
  readonly exclude: ReadonlySet<string>;
}

/** Even the poorest kind, gcd, has thousands of texts, so this many misses in a row mean they are used up. */
const missesMax = 1_000;

/**
 * Makes word problems of ten kinds in rotation, answers whole numbers from 0 to 999.
 *
 * returns  10 × perKind tasks; ids are the prefix and a running number from 00000.
 * No text is made twice and none that is excluded. The same bits of `random` give the same tasks.
 * throws   RangeError when a kind has no new text left.
 */
export function generateWordmath(request: WordmathRequest, random: RandomUint32): readonly WordmathTask[] {
  const kinds = Object.keys(wordmathKinds) as WordmathKind[];
  const texts = new Set<string>();
  const tasks: WordmathTask[] = [];
  for (let round = 0; round < request.perKind; round += 1) {
    for (const kind of kinds) {
      const { problem, answer } = newProblem(kind, texts, request.exclude, random);
      texts.add(problem);
      const id = `${request.idPrefix}-${String(tasks.length).padStart(5, '0')}`;
      tasks.push({ id, kind, problem, answer });
    }
  }
  return tasks;
}

function newProblem(
  kind: WordmathKind,
  made: ReadonlySet<string>,
  exclude: ReadonlySet<string>,
  random: RandomUint32,
) {
  for (let miss = 0; miss < missesMax; miss += 1) {
    const drawn = wordmathKinds[kind](random);
    if (!made.has(drawn.problem) && !exclude.has(sha256Hex(drawn.problem))) return drawn;
  }
  throw new RangeError(`No new problem of kind ${kind} in ${missesMax} draws`);
}
