import { readSeason } from '@vtb/db/public/read/board.ts';
import { readFinal, type WaitingFinal } from '@vtb/db/public/read/openQueue.ts';
import { type PublicSubmission, readPublicSubmission } from '@vtb/db/public/read/submission.ts';
import { findTrack, type Season } from '@vtb/protocol/season/definition.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import type { SiteLocals } from './locals.ts';

/** A final as everybody may see it: on its way (where the season's queue is open), published, or both at a re-grade. */
export interface SubmissionView {
  readonly final: WaitingFinal;
  readonly season: Season;
  readonly track: Track;
  readonly published: PublicSubmission | null;
}

/** Undefined for what does not exist and for what is not for everybody: the same answer for both. */
export async function submissionView(id: string, locals: SiteLocals): Promise<SubmissionView | undefined> {
  const final = await readFinal(id, locals.db);
  if (final === undefined) return undefined;
  const published = (await readPublicSubmission({ id, asOf: locals.now }, locals.db)) ?? null;
  const season = (await readSeason(final.season, locals.db))?.season;
  const track = season === undefined ? undefined : findTrack(season, final.track);
  if (season === undefined || track === undefined) return undefined;
  return published !== null || season.openQueue ? { final, season, track, published } : undefined;
}
