import { openLog } from '../actions/openLog.ts';
import type { Deps } from '../deps.ts';

/** Opens the log of each season whose splits are all known: also of one that was added after they were said. */
export async function openLogs(deps: Deps): Promise<number> {
  let opened = 0;
  for (const season of deps.seasons.keys()) {
    const isNew = await deps.db.transaction((tx) => openLog({ season, at: deps.now() }, deps, tx));
    if (isNew) opened += 1;
  }
  return opened;
}
