import { checkpoint } from '../actions/checkpoint.ts';
import type { Deps } from '../deps.ts';

/** Sends each season's new leaves to the grader, all in one message, when the last one has been signed. */
export async function sendCheckpoints(deps: Deps): Promise<number> {
  let sent = 0;
  for (const season of deps.seasons.keys()) {
    const size = await deps.db.transaction((tx) => checkpoint({ season, at: deps.now() }, deps, tx));
    if (size !== null) sent += 1;
  }
  return sent;
}
