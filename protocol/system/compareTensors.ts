import type { BaseTensor } from './base.ts';
import type { ProblemList } from './problemList.ts';
import { partOf, quoteName } from './quoteName.ts';
import type { TensorFacts } from './tensor.ts';

/** A team's tensor and the file it is in. */
export interface FoundTensor extends TensorFacts {
  readonly path: string;
}

/** What a team's tensors are compared with. */
export interface Comparison {
  readonly found: readonly FoundTensor[];
  readonly tensors: readonly BaseTensor[];
  readonly model: string;
  readonly renames: readonly { readonly from: string; readonly to: string }[];
  readonly optionalPrefixes: readonly string[];
  /** Where a missing tensor is missing from. */
  readonly place: string;
  /** False when a file could not be read to its end: then nothing is said to be missing. */
  readonly complete: boolean;
}

/**
 * Holds names, element types and shapes against the base's: each of its tensors once, and no other.
 * A name that the base lacks is tried again with each declared rename.
 */
export function compareTensors(comparison: Comparison, problems: ProblemList): void {
  const { found, tensors, model, place } = comparison;
  const base = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const seen = new Set<string>();
  for (const tensor of found) {
    const at = partOf(tensor.path, tensor.name);
    const name = baseName(tensor.name, base, comparison.renames);
    const expected = name === null ? undefined : base.get(name);
    if (name === null || expected === undefined) {
      const message = `${quoteName(tensor.name)} is not a tensor of ${quoteName(model)}`;
      problems.add(
        'tensor.unexpected',
        at,
        message,
        'Save the base model with its own architecture and names.',
      );
      continue;
    }
    if (seen.has(name) && name !== tensor.name) {
      const message = `${quoteName(tensor.name)} stands for ${quoteName(name)}, which is there already`;
      problems.add('tensor.repeated', at, message, 'Store each tensor once.');
    }
    seen.add(name);
    compareOne(tensor, expected, problems);
  }
  if (!comparison.complete) return;
  for (const { name } of tensors) {
    if (seen.has(name) || comparison.optionalPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    const message = `${quoteName(name)} of ${quoteName(model)} is missing`;
    problems.add(
      'tensor.missing',
      partOf(place, name),
      message,
      'Save the whole model, also what was not trained.',
    );
  }
}

function baseName(
  name: string,
  base: ReadonlyMap<string, BaseTensor>,
  renames: Comparison['renames'],
): string | null {
  if (base.has(name)) return name;
  for (const { from, to } of renames) {
    const renamed = name.startsWith(from) ? to + name.slice(from.length) : null;
    if (renamed !== null && base.has(renamed)) return renamed;
  }
  return null;
}

function compareOne(tensor: FoundTensor, expected: BaseTensor, problems: ProblemList): void {
  const at = partOf(tensor.path, tensor.name);
  const name = quoteName(tensor.name);
  if (tensor.dtype !== expected.dtype) {
    const message = `${name} is ${tensor.dtype}; the base has ${expected.dtype}`;
    problems.add('tensor.dtype', at, message, `Convert it to ${expected.dtype} before saving.`);
  }
  if (tensor.shape.join() !== expected.shape.join()) {
    const message = `${name} is [${tensor.shape.join(', ')}]; the base has [${expected.shape.join(', ')}]`;
    problems.add('tensor.shape', at, message, 'Keep the architecture of the base.');
  }
}
