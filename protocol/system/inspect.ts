import { inspectGgufWeights } from './inspectGgufWeights.ts';
import { inspectHfFolder } from './inspectHfFolder.ts';
import { inspectPlan } from './inspectPlan.ts';
import type { Manifest } from './manifest.ts';
import { newProblemList, type SystemProblem } from './problemList.ts';
import type { ReadFileAt } from './readAt.ts';
import type { TrackRules } from './trackRules.ts';

/** What inspection looks at. */
export interface Inspected {
  readonly manifest: Manifest;
  readonly rules: TrackRules;
}

/**
 * Says everything that is wrong with a system on its track, with the fix, in one go.
 *
 * input.manifest  read by `readManifest`; its chunks' digests are true of the bytes (the caller hashed them).
 * readFileAt      gives bytes of the manifest's files, at most 1 MiB a call and one call at a time. To stop
 *                 an inspection let it reject: what it throws comes out of here unchanged.
 * returns         problems in a fixed order, at most 100 of one code; none means the system is accepted.
 *                 The same bytes give the same list on every machine: `vtb check` and the gateway agree.
 * Memory doesn't follow the weights' size: headers are bounded, tensors pass through in 1 MiB blocks.
 */
export async function inspectSystem(
  input: Inspected,
  deps: { readonly readFileAt: ReadFileAt },
): Promise<{ readonly problems: readonly SystemProblem[] }> {
  const problems = newProblemList();
  problems.addAll(inspectPlan(input));
  const files = input.manifest.files.filter((file) => file.role === 'weights');
  const { base, weightsFormat } = input.rules;
  if (base !== null && base.format !== weightsFormat) {
    throw new TypeError(`Track ${input.rules.track} has ${weightsFormat} weights and a ${base.format} base`);
  }
  if (weightsFormat === 'gguf') {
    await inspectGgufWeights({ files, base: base?.format === 'gguf' ? base : null }, { ...deps, problems });
  } else {
    await inspectHfFolder(
      { files, base: base?.format === 'safetensors' ? base : null },
      { ...deps, problems },
    );
  }
  return { problems: problems.all() };
}
