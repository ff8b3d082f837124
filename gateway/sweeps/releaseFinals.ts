import { duePublications } from '@vtb/db/public/publications.ts';
import { publish } from '../actions/publish.ts';
import { lastRelease } from '../airlock/releaseInstant.ts';
import type { Deps } from '../deps.ts';

/** Published in one round and transaction each; the rest in the next round. */
const roundMax = 200;

/** Publishes the finals whose release instant has come, at the latest instant of their season's grid. */
export async function releaseFinals(deps: Deps): Promise<number> {
  let published = 0;
  for (const [season, { season: definition }] of deps.seasons) {
    const now = deps.now();
    const at = lastRelease(now, definition.releaseGridSeconds);
    for (const due of await duePublications({ season, now, limit: roundMax }, deps.db)) {
      const isNew = await deps.db.transaction((tx) => publish({ ...due, at }, tx));
      if (isNew) published += 1;
    }
  }
  return published;
}
