import type { Season } from './definition.ts';
import type { Track } from './track.ts';

/**
 * Why a track takes no finals, in words for a team, or null when it takes them.
 *
 * A preview has nothing to check weights against, or no test split; a season has its opening hours.
 * now  epoch milliseconds.
 */
export function finalsClosed(season: Season, track: Track, now: number): string | null {
  if (isPreview(season, track)) {
    return `${track.title} is a preview here: this host has no base facts or no test split for it`;
  }
  if (now < Date.parse(season.opensAt)) return `${season.title} opens at ${season.opensAt}`;
  if (now >= Date.parse(season.closesAt)) return `${season.title} closed at ${season.closesAt}`;
  return null;
}

/** Whether a track can only be looked at: no base facts, no test split, or a whole season in preview. */
export function isPreview(season: Season, track: Track): boolean {
  return season.status === 'preview' || track.base.kind === 'preview' || track.splits.test.kind === 'preview';
}
