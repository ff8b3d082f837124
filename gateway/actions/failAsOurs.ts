import type { Db } from '@vtb/db/public/connect.ts';
import { lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { moveSubmission, stateOf } from '@vtb/db/public/submissionState.ts';
import { submissionTable } from '@vtb/protocol/states/submission.ts';
import { transition } from '@vtb/protocol/states/transition.ts';
import { failuresInRow, failuresMax } from '../airlock/retryBudget.ts';
import type { Deps } from '../deps.ts';
import { orderGrading } from './orderGrading.ts';

/** What a team is told when retrying by itself has ended. */
export const waitingForMaintainer = `grading failed ${failuresMax} times by our fault; a maintainer has to look`;

/**
 * What follows a grading that ended without a result by our doing: the submission returns to the queue with the same
 * sealed digest and is ordered again, until it failed too often in a row. A published submission stays published.
 */
export async function failAsOurs(
  input: { readonly submission: string; readonly reason: string; readonly actor: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { submission, actor, at } = input;
  const context = await lockGradingContext(submission, tx);
  if (context === undefined) throw new Error(`a grading without its submission ${submission}`);
  const exhausted = failuresInRow(await gradingsOf(submission, tx)) >= failuresMax;
  const reason = exhausted ? waitingForMaintainer : input.reason;
  const state = stateOf(context.submission.state);
  const requeues = transition(submissionTable, state, 'failedAsOurs') !== undefined;
  if (requeues) await moveSubmission({ submission, event: 'failedAsOurs', at, actor, reason }, tx);
  const regrading = state === 'graded' || state === 'published';
  if (!exhausted && (requeues || regrading))
    await orderGrading({ submission, cause: 'retry', reason: input.reason, actor: 'gateway', at }, deps, tx);
}
