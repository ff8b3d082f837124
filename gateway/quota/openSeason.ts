import { Refusal } from '@vtb/protocol/errors.ts';
import type { Season } from '@vtb/protocol/season/definition.ts';
import { finalsClosed, isPreview } from '@vtb/protocol/season/finalsClosed.ts';
import type { Track } from '@vtb/protocol/season/track.ts';

/** throws Refusal('season.closed') outside the season's opening hours. */
export function refuseClosedSeason(season: Season, at: Date): void {
  if (at.getTime() < Date.parse(season.opensAt))
    throw new Refusal('season.closed', `${season.title} opens at ${season.opensAt}`);
  if (at.getTime() >= Date.parse(season.closesAt))
    throw new Refusal('season.closed', `${season.title} closed at ${season.closesAt}`);
}

/** throws Refusal track.preview or season.closed where a track takes no submission of that purpose now. */
export function refuseClosedTrack(input: {
  readonly season: Season;
  readonly track: Track;
  readonly purpose: 'validation' | 'final';
  readonly at: Date;
}): void {
  const { season, track, purpose, at } = input;
  const closed = purpose === 'final' ? finalsClosed(season, track, at.getTime()) : null;
  if (closed !== null)
    throw new Refusal(isPreview(season, track) ? 'track.preview' : 'season.closed', closed);
  refuseClosedSeason(season, at);
  if (purpose === 'validation' && track.splits.validation.kind === 'preview') {
    throw new Refusal(
      'track.preview',
      `${track.title} is a preview here: this host has no validation tasks for it`,
    );
  }
}
