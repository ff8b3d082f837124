import { waitingSubmissions } from '@vtb/db/public/waitingSubmissions.ts';
import { orderWaiting } from '../actions/orderWaiting.ts';
import type { Deps } from '../deps.ts';
import { eachItem } from './eachItem.ts';

/** Looked at in one round; those that a maintainer has to look at stay among them. */
const roundMax = 1_000;

/** Orders queued submissions that nothing is ordered for: their split has come, or a gateway died before it did. */
export async function orderQueued(deps: Deps): Promise<number> {
  const order = (submission: string) =>
    deps.db.transaction((tx) => orderWaiting({ submission, at: deps.now() }, deps, tx));
  return eachItem(await waitingSubmissions(roundMax, deps.db), order, deps);
}
