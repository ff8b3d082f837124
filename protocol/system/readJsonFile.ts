import { groupDigits } from './groupDigits.ts';
import type { InspectDeps } from './inspectTensors.ts';
import { jsonFault } from './jsonFault.ts';
import { systemLimits } from './limits.ts';
import type { ManifestFile } from './manifest.ts';
import { quoteName } from './quoteName.ts';
import type { ReadAt } from './readAt.ts';
import { readText } from './readText.ts';

/** A JSON document of a system's file. */
export interface JsonFile {
  readonly value: unknown;
}

/**
 * Reads a small JSON file strictly: at most 16 MiB of UTF-8, no repeated keys, bounded depth and number of
 * values.
 *
 * returns  null when it isn't one; then a problem says why.
 */
export async function readJsonFile(
  file: ManifestFile,
  { readFileAt, problems }: InspectDeps,
): Promise<JsonFile | null> {
  const refuse = (clause: string): null => {
    const fix = 'Save it again with an unmodified saver.';
    problems.add('weights.json', file.path, `${quoteName(file.path)} ${clause}`, fix);
    return null;
  };
  const max = systemLimits.jsonBytesMax;
  if (file.size > max) return refuse(`has ${groupDigits(file.size)} bytes, more than ${groupDigits(max)}`);
  const readAt: ReadAt = (offset, length) => readFileAt(file.path, offset, length);
  const text = await readText({ offset: 0, size: file.size }, readAt);
  if (text === null) return refuse('is not UTF-8');
  const fault = jsonFault(text, {
    depthMax: 32,
    valueCountMax: 200_000,
    memberCountMax: 200_000,
    wholeNumbersOnly: false,
  });
  return fault === null ? { value: JSON.parse(text) } : refuse(`is not strict JSON: ${fault}`);
}
