import type { FoundTensor } from './compareTensors.ts';
import { indexFile } from './hfFiles.ts';
import type { InspectDeps } from './inspectTensors.ts';
import type { ManifestFile } from './manifest.ts';
import { partOf, quoteName } from './quoteName.ts';
import { readJsonFile } from './readJsonFile.ts';

/** A folder's files and what its shards were found to hold. */
export interface Sharding {
  readonly files: readonly ManifestFile[];
  readonly shards: readonly ManifestFile[];
  readonly found: readonly FoundTensor[];
  /** False when a shard could not be read: then the index is not held against what was found. */
  readonly complete: boolean;
}

const path = `weights/${indexFile}`;
const fix = 'Save the model again, so that index and shards are written together.';

/**
 * Holds the index against the shards: it names plain files of this folder, every tensor where it is, and
 * no other. Required when there are two shards or more; a single file needs none.
 */
export async function checkIndex(sharding: Sharding, deps: InspectDeps): Promise<void> {
  const { files, shards } = sharding;
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) {
    if (shards.length < 2) return;
    const message = `${quoteName(path)} is missing; ${shards.length} files of weights need it`;
    return deps.problems.add('weights.index', path, message, fix);
  }
  const index = await readJsonFile(file, deps);
  if (index === null) return;
  const map = weightMap(index.value);
  if (map === null) {
    const message = `${quoteName(path)} has no weight_map from tensor names to file names`;
    return deps.problems.add('weights.index', path, message, fix);
  }
  checkTargets(map, sharding, deps);
  if (sharding.complete) checkTensors(map, sharding, deps);
}

function weightMap(value: unknown): ReadonlyMap<string, string> | null {
  if (typeof value !== 'object' || value === null || !('weight_map' in value)) return null;
  const { weight_map: entries } = value;
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) return null;
  const map = new Map<string, string>();
  for (const [name, target] of Object.entries(entries)) {
    if (typeof target !== 'string') return null;
    map.set(name, target);
  }
  return map;
}

function checkTargets(
  map: ReadonlyMap<string, string>,
  { shards }: Sharding,
  { problems }: InspectDeps,
): void {
  const named = new Set(map.values());
  const there = new Set(shards.map((shard) => shard.path.slice('weights/'.length)));
  for (const target of named) {
    if (there.has(target)) continue;
    const message = `the index names ${quoteName(target)}, which is not a .safetensors file beside it`;
    problems.add('weights.index', path, message, fix);
  }
  for (const name of there) {
    if (named.has(name)) continue;
    const message = `${quoteName(name)} is in no entry of the index`;
    problems.add('weights.index', `weights/${name}`, message, fix);
  }
}

function checkTensors(
  map: ReadonlyMap<string, string>,
  { found }: Sharding,
  { problems }: InspectDeps,
): void {
  const homes = new Map(found.map((tensor) => [tensor.name, tensor.path.slice('weights/'.length)]));
  for (const [name, target] of map) {
    const home = homes.get(name);
    if (home === target) continue;
    const message = `the index has ${quoteName(name)} in ${quoteName(target)}; it is ${home === undefined ? 'in no file' : `in ${quoteName(home)}`}`;
    problems.add('weights.index', partOf(path, name), message, fix);
  }
  for (const name of homes.keys()) {
    if (map.has(name)) continue;
    problems.add('weights.index', partOf(path, name), `the index lacks ${quoteName(name)}`, fix);
  }
}
