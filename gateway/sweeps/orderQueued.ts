import { waitingSubmissions } from '@vtb/db/public/waitingSubmissions.ts';
import { orderWaiting } from '../actions/orderWaiting.ts';
import type { Deps } from '../deps.ts';

/** Looked at in one round; those that a maintainer has to look at stay among them. */
const roundMax = 1_000;

/** Orders queued submissions that nothing is ordered for: their split has come, or a gateway died before it did. */
export async function orderQueued(deps: Deps): Promise<number> {
  let ordered = 0;
  for (const submission of await waitingSubmissions(roundMax, deps.db)) {
    const isNew = await deps.db.transaction((tx) => orderWaiting({ submission, at: deps.now() }, deps, tx));
    if (isNew) ordered += 1;
  }
  return ordered;
}
