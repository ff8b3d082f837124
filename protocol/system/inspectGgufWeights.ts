import type { GgufBaseFacts } from './base.ts';
import { compareTensors } from './compareTensors.ts';
import { type ParsedGguf, parseGguf } from './gguf.ts';
import { ggufKeyKind } from './ggufKeyKind.ts';
import { weightsRefusal } from './hfFiles.ts';
import { type InspectDeps, inspectTensors } from './inspectTensors.ts';
import type { ManifestFile } from './manifest.ts';
import type { ProblemList } from './problemList.ts';
import { partOf, quoteName } from './quoteName.ts';

/** Weights as one GGUF file, and the base's, if the track has one. */
export interface GgufWeights {
  readonly files: readonly ManifestFile[];
  readonly base: GgufBaseFacts | null;
}

/**
 * Inspects weights/ of a track that takes one .gguf: nothing beside it, a sound file, the base's functional
 * keys, the base's tensors, finite numbers. Every .gguf there is read, so that each one's problems show.
 */
export async function inspectGgufWeights({ files, base }: GgufWeights, deps: InspectDeps): Promise<void> {
  const { readFileAt, problems } = deps;
  const weights = files.filter(({ path }) => /^weights\/[^/]+\.gguf$/.test(path));
  checkNames(files, weights, problems);
  for (const file of weights) {
    const parsed = await parseGguf(file, (offset, length) => readFileAt(file.path, offset, length));
    problems.addAll(parsed.problems);
    if (base !== null) {
      compareKeys({ path: file.path, parsed, base }, problems);
      const found = parsed.tensors.map((tensor) => ({ ...tensor, path: file.path }));
      // A tensor with a refused entry isn't in the list; it is not missing as well.
      const complete = parsed.complete && parsed.problems.every(({ code }) => code !== 'gguf.entry');
      const { tensors, model } = base;
      const place = file.path;
      compareTensors({ found, tensors, model, renames: [], optionalPrefixes: [], place, complete }, problems);
    }
    if (parsed.layout !== null) {
      await inspectTensors({ file, layout: parsed.layout, forbidden: base?.forbidden ?? [] }, deps);
    }
  }
}

function checkNames(
  files: readonly ManifestFile[],
  weights: readonly ManifestFile[],
  problems: ProblemList,
): void {
  const oneOnly = 'Put one .gguf into weights/ and nothing else.';
  if (weights.length === 0)
    problems.add('weights.missing', 'weights/', 'weights/ has no .gguf file', oneOnly);
  if (weights.length > 1) {
    const names = weights.map(({ path }) => quoteName(path)).slice(0, 10);
    problems.add(
      'weights.copy',
      'weights/',
      `weights/ has ${weights.length} .gguf files: ${names.join(', ')}`,
      oneOnly,
    );
  }
  for (const file of files) {
    if (weights.includes(file)) continue;
    const refusal = weightsRefusal(file.path.slice('weights/'.length));
    const code = refusal?.code ?? (file.path.endsWith('.safetensors') ? 'weights.format' : 'weights.file');
    const clause = refusal?.clause ?? 'is not used: this track takes one .gguf, which has it all';
    problems.add(code, file.path, `${quoteName(file.path)} ${clause}`, oneOnly);
  }
}

function compareKeys(
  {
    path,
    parsed,
    base,
  }: { readonly path: string; readonly parsed: ParsedGguf; readonly base: GgufBaseFacts },
  problems: ProblemList,
): void {
  const own = new Map(base.keys.map((key) => [key.key, key]));
  const fix = 'Only tensors may differ: write the keys of the base model’s GGUF.';
  for (const { key, type, digest, shown } of parsed.keys) {
    const kind = ggufKeyKind(key, base.architecture);
    const expected = own.get(key);
    if (kind === 'descriptive' || (expected !== undefined && digest === expected.digest)) continue;
    const at = partOf(path, key);
    const given = `${quoteName(key)} is ${shown} (${type}, ${named(digest)})`;
    if (expected !== undefined) {
      const message = `${given}; the base has ${expected.shown} (${expected.type}, ${named(expected.digest)})`;
      problems.add('gguf.keyDiffers', at, message, fix);
    } else if (kind === 'functional') {
      problems.add(
        'gguf.keyNotInBase',
        at,
        `${given}; the base has no such key`,
        `${fix} Leave this one out.`,
      );
    } else {
      problems.add('gguf.keyUnknown', at, `${given}; no such key is known`, 'Leave the key out.');
    }
  }
  if (!parsed.complete) return;
  const there = new Set(parsed.keys.map(({ key }) => key));
  for (const { key, type, digest, shown } of base.keys) {
    if (there.has(key)) continue;
    const message = `${quoteName(key)} is missing; the base has ${shown} (${type}, ${named(digest)})`;
    problems.add('gguf.keyMissing', partOf(path, key), message, fix);
  }
}

function named(digest: string | null): string {
  return digest === null ? 'too long to name' : `sha256 ${digest}`;
}
