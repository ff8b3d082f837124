import type { PromptTask } from '@vtb/protocol/season/promptSplit.ts';
import { generateWordmath } from './pocket/wordmath.ts';
import type { RandomUint32 } from './random.ts';

/** What a generator of prompt splits is asked for. */
export interface SplitRequest {
  readonly size: number;
  /** SHA-256s of public problem texts that must not be in the split. */
  readonly exclude: ReadonlySet<string>;
}

type SplitGenerator = (request: SplitRequest, random: RandomUint32) => readonly PromptTask[];

/** Makers of `generated:<name>` splits by name. */
export const generators: ReadonlyMap<string, SplitGenerator> = new Map([['wordmath', wordmath]]);

/**
 * Makes the tasks of a generated split.
 *
 * throws  RangeError for a name that is not known, or a size that the generator can't make.
 */
export function generateSplit(
  name: string,
  request: SplitRequest,
  random: RandomUint32,
): readonly PromptTask[] {
  const generator = generators.get(name);
  if (generator === undefined) {
    throw new RangeError(`No generator "${name}"; known are ${[...generators.keys()].join(', ')}`);
  }
  return generator(request, random);
}

function wordmath(request: SplitRequest, random: RandomUint32): readonly PromptTask[] {
  const perKind = request.size / 10;
  if (!Number.isInteger(perKind)) throw new RangeError(`wordmath makes multiples of 10, not ${request.size}`);
  const tasks = generateWordmath({ perKind, idPrefix: 'test', exclude: request.exclude }, random);
  return tasks.map(({ id, problem, answer }) => ({ id, problem, answer }));
}
