import { openLog } from '../actions/openLog.ts';
import type { Deps } from '../deps.ts';
import { eachItem } from './eachItem.ts';

/** Opens the log of each season whose splits are all known: also of one that was added after they were said. */
export async function openLogs(deps: Deps): Promise<number> {
  const open = (season: string) => deps.db.transaction((tx) => openLog({ season, at: deps.now() }, deps, tx));
  return eachItem([...deps.seasons.keys()], open, deps);
}
