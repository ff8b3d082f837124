import { isPreview } from '@vtb/protocol/season/finalsClosed.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import type { PublicTrackRules } from '@vtb/protocol/wire/trackRules.ts';
import type { LoadedSeason } from './load.ts';
import { trackRules } from './trackRules.ts';

/** A track's rules with the season's terms, as anybody may have them. */
export function publicTrackRules(loaded: LoadedSeason, track: Track): PublicTrackRules {
  const { season, assets } = loaded;
  const { edits, weightsFormat, base } = trackRules(loaded, track);
  const terms = assets.get(season.terms.path);
  if (terms === undefined) throw new Error(`season ${season.id} was loaded without ${season.terms.path}`);
  return {
    season: season.id,
    seasonTitle: season.title,
    track: track.id,
    trackTitle: track.title,
    preview: isPreview(season, track),
    edits: [...edits],
    weightsFormat,
    terms: { sha256: terms.sha256, text: new TextDecoder().decode(terms.bytes) },
    base,
  };
}
