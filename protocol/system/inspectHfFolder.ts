import type { SafetensorsBaseFacts } from './base.ts';
import { checkIndex } from './checkIndex.ts';
import { compareTensors, type FoundTensor } from './compareTensors.ts';
import { tensorDigest } from './cut.ts';
import { groupDigits } from './groupDigits.ts';
import { rewrittenFiles, weightsRefusal } from './hfFiles.ts';
import { hookFaults } from './hookFaults.ts';
import { type InspectDeps, inspectTensors } from './inspectTensors.ts';
import { systemLimits } from './limits.ts';
import type { ManifestFile } from './manifest.ts';
import type { ProblemList } from './problemList.ts';
import { partOf, quoteName } from './quoteName.ts';
import { readJsonFile } from './readJsonFile.ts';
import { parseSafetensors } from './safetensors.ts';

/** Weights as a folder in the Hugging Face layout, and the base's facts, if the track has them. */
export interface HfFolder {
  readonly files: readonly ManifestFile[];
  readonly base: SafetensorsBaseFacts | null;
}

/**
 * Inspects weights/ of a track that takes safetensors: only files that weights have, none that runs code or
 * changes the model; shards that are sound, agree with the index, and hold the base's tensors once each.
 */
export async function inspectHfFolder({ files, base }: HfFolder, deps: InspectDeps): Promise<void> {
  const { problems } = deps;
  for (const file of files) await inspectSideFile(file, base, deps);
  const shards = files.filter(({ path }) => /^weights\/[^/]+\.safetensors$/.test(path)).filter(isAllowed);
  if (shards.length === 0) {
    const fix = 'Save the model there with safe serialization.';
    problems.add('weights.missing', 'weights/', 'weights/ has no .safetensors file', fix);
  }
  const found: FoundTensor[] = [];
  let complete = true;
  for (const file of shards) {
    const parsed = await parseSafetensors(file, (offset, length) =>
      deps.readFileAt(file.path, offset, length),
    );
    problems.addAll(parsed.problems);
    complete &&= parsed.problems.every(({ code }) => code === 'tensor.layout');
    found.push(...parsed.tensors.map((tensor) => ({ ...tensor, path: file.path })));
    if (parsed.layout !== null) {
      await inspectTensors({ file, layout: parsed.layout, forbidden: base?.forbidden ?? [] }, deps);
    }
  }
  checkRepeated(found, problems);
  await checkIndex({ files, shards, found, complete }, deps);
  if (base === null) return;
  const { tensors, model, renames, optionalPrefixes } = base;
  compareTensors({ found, tensors, model, renames, optionalPrefixes, place: 'weights/', complete }, problems);
}

function isAllowed({ path }: ManifestFile): boolean {
  return weightsRefusal(path.slice('weights/'.length)) === null;
}

async function inspectSideFile(
  file: ManifestFile,
  base: SafetensorsBaseFacts | null,
  deps: InspectDeps,
): Promise<void> {
  const { problems } = deps;
  const name = file.path.slice('weights/'.length);
  const refusal = weightsRefusal(name);
  if (refusal !== null) {
    return problems.add(refusal.code, file.path, `${quoteName(file.path)} ${refusal.clause}`, refusal.fix);
  }
  const max = systemLimits.sideFileBytesMax;
  if (!name.endsWith('.safetensors') && file.size > max) {
    const message = `${quoteName(file.path)} has ${groupDigits(file.size)} bytes, more than ${groupDigits(max)}`;
    problems.add('weights.limit', file.path, message, 'Use the base model’s file.');
  }
  const own = base?.files.find((baseFile) => baseFile.name === name);
  const digest = tensorDigest(file.chunks);
  if (own !== undefined && own.digest !== digest) {
    const message = `${quoteName(file.path)} has digest ${digest}; the base's has ${own.digest}`;
    problems.add('weights.trackOwned', file.path, message, 'Leave the file out: the track’s own is used.');
  }
  if (rewrittenFiles.has(name)) await inspectConfig(file, deps);
}

async function inspectConfig(file: ManifestFile, deps: InspectDeps): Promise<void> {
  const config = await readJsonFile(file, deps);
  if (config === null) return;
  for (const { place, clause } of hookFaults(config.value)) {
    const message = `${quoteName(place)} in ${quoteName(file.path)} ${clause}`;
    deps.problems.add('weights.hook', partOf(file.path, place), message, 'Remove it, or leave the file out.');
  }
}

function checkRepeated(found: readonly FoundTensor[], problems: ProblemList): void {
  const homes = new Map<string, string>();
  for (const { name, path } of found) {
    const home = homes.get(name);
    if (home === undefined) {
      homes.set(name, path);
      continue;
    }
    const message = `${quoteName(name)} is in ${quoteName(home)} and in ${quoteName(path)}`;
    problems.add('tensor.repeated', partOf(path, name), message, 'Store each tensor once.');
  }
}
