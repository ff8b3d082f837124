import type { Db } from '@vtb/db/public/connect.ts';
import { lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { findGrading, moveGrading } from '@vtb/db/public/gradings.ts';
import type { Deps } from '../deps.ts';
import { sendCancel } from './cancelOrders.ts';
import { failAsOurs } from './failAsOurs.ts';

const reason = 'our fault: the grading did not end in time';

/**
 * Gives up an order that was not answered by its deadline: the grader is told to stop, the grading has failed by our
 * fault. returns false when it has ended meanwhile.
 */
export async function endOrder(
  input: { readonly submission: string; readonly grading: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<boolean> {
  const { submission, at } = input;
  await lockGradingContext(submission, tx);
  const grading = await findGrading(input.grading, tx);
  if (grading === undefined) return false;
  const step = { grading, at, actor: 'gateway', reason, set: { finishedAt: at } };
  if ((await moveGrading({ ...step, event: 'failed' }, tx)) === null) return false;
  await sendCancel({ grading, cause: 'deadline', at }, deps, tx);
  await failAsOurs({ submission, reason, actor: 'gateway', at }, deps, tx);
  return true;
}
