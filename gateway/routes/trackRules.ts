import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { findTrack } from '@vtb/protocol/season/definition.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import type { PublicTrackRules } from '@vtb/protocol/wire/trackRules.ts';
import { publicTrackRules } from '@vtb/seasons/publicTrackRules.ts';
import type { Action } from '../frame/route.ts';

interface Written {
  readonly text: string;
  readonly etag: string;
}

/** A track's rules don't change while the process lives, and base facts are megabytes to check and write. */
const written = new WeakMap<Track, Written>();

/** GET /seasons/:id/tracks/:track/rules */
export const getTrackRules: Action<null, PublicTrackRules> = async (call, deps) => {
  const loaded = deps.seasons.get(call.params.id ?? '');
  if (loaded === undefined) throw new Refusal('season.unknown', 'there is no such season here');
  const { season } = loaded;
  const track = findTrack(season, call.params.track ?? '');
  if (track === undefined) {
    const known = season.tracks.map(({ id }) => id).join(', ');
    throw new Refusal('track.unknown', `${season.id} has no such track; it has ${known}`);
  }
  const { text, etag } = written.get(track) ?? write(track, publicTrackRules(loaded, track));
  const headers = { etag, 'cache-control': 'public, no-cache', 'content-type': 'application/json' };
  const tags = call.raw.header('if-none-match')?.split(',') ?? [];
  const isKnown = tags.some((tag) => tag.trim().replace(/^W\//, '') === etag);
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
};

function write(track: Track, rules: PublicTrackRules): Written {
  const text = JSON.stringify(rules);
  const made = { text, etag: `"${sha256Hex(text).slice(0, 32)}"` };
  written.set(track, made);
  return made;
}
