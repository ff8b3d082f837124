import { newestComparison } from '@vtb/db/public/comparisons.ts';
import { sha256Schema } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { slugSchema } from '@vtb/protocol/ids.ts';
import { findTrack } from '@vtb/protocol/season/definition.ts';
import type { ComparisonsView } from '@vtb/protocol/wire/comparisons.ts';
import { notFound } from '../frame/access.ts';
import type { Action } from '../frame/route.ts';
import { queryOf } from './queryOf.ts';

/** What the path says instead of a track for the comparison in Avg. */
const average = 'avg';

/** GET /comparisons/:track?season=: the newest signed comparison of a track's ranked rows, or of Avg. */
export const getComparisons: Action<null, ComparisonsView> = async (call, deps, tx) => {
  const { season } = queryOf(call.query, { season: slugSchema });
  const name = call.params.track ?? '';
  const loaded = deps.seasons.get(season);
  if (loaded === undefined) throw new Refusal('season.unknown', `there is no season ${season}`);
  if (name !== average && findTrack(loaded.season, name) === undefined) throw notFound();
  const track = name === average ? null : name;
  const row = await newestComparison({ season, track }, tx);
  if (row === undefined) return { season, track, comparison: null };
  const { logSize, systems, verdicts, comparison: jws, leaf, at } = row;
  return {
    season,
    track,
    comparison: {
      split: row.split === null ? null : sha256Schema.parse(row.split),
      logSize,
      systems,
      verdicts,
      jws,
      leaf,
      at: at.toISOString(),
    },
  };
};
