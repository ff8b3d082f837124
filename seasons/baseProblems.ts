import { sha256Hex } from '@vtb/protocol/digest.ts';
import type { SeasonProblem } from '@vtb/protocol/season/checkSeason.ts';
import type { Season } from '@vtb/protocol/season/definition.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import { type BaseFacts, baseFactsSchema } from '@vtb/protocol/system/base.ts';
import type { SeasonAsset } from './assets.ts';

/** What is wrong with the base facts of a season's tracks: found at start, not with the first submission. */
export function baseProblems(
  season: Season,
  assets: ReadonlyMap<string, SeasonAsset>,
): readonly SeasonProblem[] {
  return season.tracks.flatMap(({ base }, index) => {
    const fault = baseFault(base, assets);
    return fault === null ? [] : [{ path: ['tracks', index, 'base', fault.key], message: fault.message }];
  });
}

function baseFault(base: Track['base'], assets: ReadonlyMap<string, SeasonAsset>) {
  if (base.kind === 'preview') return null;
  const file = base.facts.path;
  const bytes = assets.get(file)?.bytes;
  // A file that could not be read has its own problem.
  if (bytes === undefined) return null;
  const parsed = readFacts(bytes);
  if (typeof parsed === 'string') {
    return { key: 'facts', message: `${file} is not a base's facts: ${parsed}; make it again from the base` };
  }
  if (parsed.format !== base.kind) {
    return { key: 'kind', message: `is ${base.kind}, but ${file} is of a ${parsed.format} base` };
  }
  const header = base.kind === 'gguf' ? assets.get(base.header.path)?.bytes : undefined;
  if (parsed.format !== 'gguf' || header === undefined) return null;
  if (header.length === parsed.headerSize && sha256Hex(header) === parsed.headerDigest) return null;
  return { key: 'header', message: `is not the header that ${file} names; make both again from the base` };
}

function readFacts(bytes: Uint8Array): BaseFacts | string {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return 'it is not JSON';
  }
  const parsed = baseFactsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join(', ');
}
