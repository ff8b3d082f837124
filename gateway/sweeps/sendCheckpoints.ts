import { checkpoint } from '../actions/checkpoint.ts';
import type { Deps } from '../deps.ts';
import { eachItem } from './eachItem.ts';

/** Sends each season's new leaves to the grader, all in one message, when the last one has been signed. */
export async function sendCheckpoints(deps: Deps): Promise<number> {
  const send = async (season: string) =>
    (await deps.db.transaction((tx) => checkpoint({ season, at: deps.now() }, deps, tx))) !== null;
  return eachItem([...deps.seasons.keys()], send, deps);
}
