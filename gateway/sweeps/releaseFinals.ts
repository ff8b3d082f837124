import { duePublications } from '@vtb/db/public/publications.ts';
import { publish } from '../actions/publish.ts';
import { lastRelease } from '../airlock/releaseInstant.ts';
import type { Deps } from '../deps.ts';
import { eachItem } from './eachItem.ts';

/** Published in one round, each in a transaction of its own; the rest in the next round. */
const roundMax = 200;

/** Publishes the finals whose release instant has come, at the latest instant of their season's grid. */
export async function releaseFinals(deps: Deps): Promise<number> {
  let published = 0;
  for (const [season, { season: definition }] of deps.seasons) {
    const now = deps.now();
    const at = lastRelease(now, definition.releaseGridSeconds);
    const due = await duePublications({ season, now, limit: roundMax }, deps.db);
    published += await eachItem(due, (one) => deps.db.transaction((tx) => publish({ ...one, at }, tx)), deps);
  }
  return published;
}
