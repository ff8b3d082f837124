import type { PromptTask } from '@vtb/protocol/season/promptSplit.ts';
import { generateWordmath } from './pocket/wordmath.ts';
import type { RandomUint32 } from './random.ts';

/** What a generator of prompt splits is asked for. */
export interface SplitRequest {
  readonly size: number;
  /** SHA-256s of public problem texts that must not be in the split. */
  readonly exclude: ReadonlySet<string>;
}

interface SplitGenerator {
  /** Every size it can make is a multiple of this. */
  readonly sizeStep: number;
  readonly generate: (request: SplitRequest, random: RandomUint32) => readonly PromptTask[];
}

/** Makers of `generated:<name>` splits by name. */
export const generators: ReadonlyMap<string, SplitGenerator> = new Map([
  ['wordmath', { sizeStep: 10, generate: wordmath }],
]);

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
  const fault = generatorFault(name, request.size);
  if (generator === undefined || fault !== null) throw new RangeError(fault?.message ?? name);
  return generator.generate(request, random);
}

/** What is wrong with asking this generator for this many tasks, and in which of the two; null when nothing. */
export function generatorFault(name: string, size: number) {
  const generator = generators.get(name);
  if (generator === undefined) {
    const message = `No generator "${name}"; known are ${[...generators.keys()].join(', ')}`;
    return { key: 'generator', message };
  }
  if (size % generator.sizeStep === 0) return null;
  return { key: 'size', message: `${name} makes multiples of ${generator.sizeStep}, not ${size}` };
}

function wordmath(request: SplitRequest, random: RandomUint32): readonly PromptTask[] {
  const perKind = request.size / 10;
  const tasks = generateWordmath({ perKind, idPrefix: 'test', exclude: request.exclude }, random);
  return tasks.map(({ id, problem, answer }) => ({ id, problem, answer }));
}
