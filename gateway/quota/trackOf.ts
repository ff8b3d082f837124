import { Refusal } from '@vtb/protocol/errors.ts';
import { findTrack } from '@vtb/protocol/season/definition.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import type { LoadedSeason } from '@vtb/seasons/load.ts';
import type { Deps } from '../deps.ts';

/** A season of this instance by id. throws Refusal('season.unknown') that lists the known ones. */
export function seasonOf(id: string, deps: Pick<Deps, 'seasons'>): LoadedSeason {
  const loaded = deps.seasons.get(id);
  if (loaded === undefined)
    throw new Refusal(
      'season.unknown',
      `there is no season "${id}" here; there are: ${[...deps.seasons.keys()].join(', ')}`,
    );
  return loaded;
}

/** A track of a season. throws Refusal('track.unknown') that lists the known ones. */
export function trackOf(loaded: LoadedSeason, id: string): Track {
  const track = findTrack(loaded.season, id);
  if (track === undefined) {
    const known = loaded.season.tracks.map((one) => one.id).join(', ');
    throw new Refusal('track.unknown', `"${loaded.season.id}" has no track "${id}"; it has: ${known}`);
  }
  return track;
}
