import { findTrack } from '@vtb/protocol/season/definition.ts';
import type { TrackRules } from '@vtb/protocol/system/trackRules.ts';
import { seasonListSchema } from '@vtb/protocol/wire/board.ts';
import { type PublicTrackRules, trackRulesSchema } from '@vtb/protocol/wire/trackRules.ts';
import { loadSeasons } from '@vtb/seasons/load.ts';
import { publicTrackRules } from '@vtb/seasons/publicTrackRules.ts';
import { readSeasonIds } from './config.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';

/** A track that is asked for; null where there is only one to choose. */
export interface WantedTrack {
  readonly track: string | null;
  readonly season: string | null;
}

/**
 * A track's rules: from the seasons of this clone, else from the service.
 *
 * throws  Failure('usage') listing what there is when the choice is not clear.
 */
export async function findTrackRules(wanted: WantedTrack, context: Context): Promise<PublicTrackRules> {
  const { seasonsDir } = context.config;
  return seasonsDir === null ? rulesOfService(wanted, context) : rulesOfClone(wanted, seasonsDir, context);
}

/** The part that inspection takes. */
export function inspectionRules({ track, edits, weightsFormat, base }: PublicTrackRules): TrackRules {
  return { track, edits, weightsFormat, base };
}

async function rulesOfClone(
  wanted: WantedTrack,
  seasonsDir: string,
  context: Context,
): Promise<PublicTrackRules> {
  const ids = wanted.season === null ? readSeasonIds(context.config) : [wanted.season];
  const seasons = await loadSeasons(seasonsDir, ids);
  const chosen = choose(
    wanted,
    seasons.flatMap(({ season }) => season.tracks.map(({ id }) => ({ season: season.id, track: id }))),
  );
  const loaded = seasons.find(({ season }) => season.id === chosen.season);
  const track = loaded && findTrack(loaded.season, chosen.track);
  if (loaded === undefined || track === undefined) throw new Error(`${chosen.season} lost ${chosen.track}`);
  return publicTrackRules(loaded, track);
}

async function rulesOfService(wanted: WantedTrack, context: Context): Promise<PublicTrackRules> {
  const client = await context.visitor();
  const { seasons } = await client.get('/seasons', seasonListSchema);
  const chosen = choose(
    wanted,
    seasons
      .filter(({ id }) => wanted.season === null || id === wanted.season)
      .flatMap(({ id, tracks }) => tracks.map((track) => ({ season: id, track: track.id }))),
  );
  return client.get(`/seasons/${chosen.season}/tracks/${chosen.track}/rules`, trackRulesSchema);
}

interface Choice {
  readonly season: string;
  readonly track: string;
}

function choose(wanted: WantedTrack, choices: readonly Choice[]): Choice {
  const matches = choices.filter(({ track }) => wanted.track === null || track === wanted.track);
  const [only, ...more] = matches;
  if (only !== undefined && more.length === 0) return only;
  const known = choices.map(({ season, track }) => `${track} (${season})`).join(', ') || 'none';
  throw new Failure(
    'usage',
    'track.unknown',
    only === undefined
      ? `no track ${wanted.track ?? ''} here; there are: ${known}`
      : wanted.track === null
        ? `say which track with --track: ${known}`
        : `several seasons have a track ${wanted.track}: say which with --season: ${matches.map(({ season }) => season).join(', ')}`,
  );
}
