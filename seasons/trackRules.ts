import type { Track } from '@vtb/protocol/season/track.ts';
import { baseFactsSchema } from '@vtb/protocol/system/base.ts';
import type { TrackRules } from '@vtb/protocol/system/trackRules.ts';
import type { LoadedSeason } from './load.ts';

/** What a track lets a system be, with the base's facts from the season's files. */
export function trackRules(loaded: LoadedSeason, track: Track): TrackRules {
  const { id, edits, weightsFormat, base } = track;
  if (base.kind === 'preview') return { track: id, edits, weightsFormat, base: null };
  const facts = loaded.assets.get(base.facts.path);
  if (facts === undefined)
    throw new Error(`season ${loaded.season.id} was loaded without ${base.facts.path}`);
  return {
    track: id,
    edits,
    weightsFormat,
    base: baseFactsSchema.parse(JSON.parse(new TextDecoder().decode(facts.bytes))),
  };
}
