import { overdueUploads } from '@vtb/db/public/overdueUploads.ts';
import { lapseSubmission } from '../actions/lapseSubmission.ts';
import type { Deps } from '../deps.ts';
import { eachItem } from './eachItem.ts';

const roundMax = 200;

/** Ends submissions whose bytes did not come within the grace. */
export async function lapseUploads(deps: Deps): Promise<number> {
  const lapse = async (submission: string) => {
    await deps.db.transaction((tx) => lapseSubmission({ submission, at: deps.now() }, deps, tx));
    return true;
  };
  return eachItem(await overdueUploads({ now: deps.now(), limit: roundMax }, deps.db), lapse, deps);
}
