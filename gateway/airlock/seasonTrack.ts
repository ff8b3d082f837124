import { findTrack } from '@vtb/protocol/season/definition.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import type { LoadedSeason } from '@vtb/seasons/load.ts';
import type { Deps } from '../deps.ts';

/** A season and one of its tracks, which rows of this database name. throws Error when the files no longer have them. */
export function seasonTrack(
  input: { readonly season: string; readonly track: string },
  deps: Pick<Deps, 'seasons'>,
): { readonly loaded: LoadedSeason; readonly track: Track } {
  const loaded = deps.seasons.get(input.season);
  const track = loaded && findTrack(loaded.season, input.track);
  if (loaded === undefined || track === undefined)
    throw new Error(`this gateway serves no track ${input.track} of a season ${input.season}`);
  return { loaded, track };
}
