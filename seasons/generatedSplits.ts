import type { SeasonProblem } from '@vtb/protocol/season/checkSeason.ts';
import type { Season } from '@vtb/protocol/season/definition.ts';
import type { SeasonAsset } from './assets.ts';
import { readExcludedTexts } from './excludedTexts.ts';
import { generatorFault } from './generators.ts';

/**
 * What keeps a season's generated splits from being made: an unknown generator, a size it can't make, a list
 * of excluded texts that can't be read. Found at start, not when the vault is first filled.
 */
export function generatedSplitProblems(
  season: Season,
  assets: ReadonlyMap<string, SeasonAsset>,
): readonly SeasonProblem[] {
  return season.tracks.flatMap((track, index) =>
    (['validation', 'test'] as const).flatMap((name) => {
      const split = track.splits[name];
      if (split.kind !== 'generated') return [];
      const path = ['tracks', index, 'splits', name];
      const problems: SeasonProblem[] = [];
      const fault = generatorFault(split.generator, split.size);
      if (fault !== null) problems.push({ path: [...path, fault.key], message: fault.message });
      const excluded = assets.get(split.exclude.path);
      const unreadable = excluded === undefined ? null : excludedFault(excluded.bytes);
      if (unreadable !== null) problems.push({ path: [...path, 'exclude', 'path'], message: unreadable });
      return problems;
    }),
  );
}

function excludedFault(bytes: Uint8Array): string | null {
  try {
    readExcludedTexts(bytes);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}
