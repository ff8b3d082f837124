import type { Season } from '../season/definition.ts';

/**
 * The season as if it had one track alone: its board is that track's, with the hours and tokens of that track's runs.
 * Hours that others report are over all tracks, so they don't show here.
 *
 * throws  RangeError when the season has no such track.
 */
export function trackSeason(season: Season, track: string): Season {
  const only = season.tracks.find(({ id }) => id === track);
  if (only === undefined) throw new RangeError(`${season.id} has no track ${track}`);
  const isBeside = (key: string) => key !== 'avg' && !season.tracks.some(({ id }) => id === key);
  return {
    ...season,
    tracks: [only],
    columns: [track, ...season.columns.filter(isBeside)],
    rows: season.rows.flatMap((row) => {
      const score = row.scoreTenths[track];
      if (score === undefined) return [];
      const { hoursTenths: _hours, avgTenths: _avg, ...rest } = row;
      return [{ ...rest, scoreTenths: { [track]: score } }];
    }),
  };
}
