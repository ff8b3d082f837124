import type { Db } from '@vtb/db/public/connect.ts';
import { lockRun } from '@vtb/db/public/runs.ts';
import { lockedState, moveSubmission } from '@vtb/db/public/submissionState.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import type { Deps } from '../deps.ts';
import { releaseFinal } from '../quota/releaseFinal.ts';

/** What a team is told when its bytes didn't come in time. */
const lapseReason = 'the bytes did not come within the grace';

/** Ends a submission whose bytes did not come within the grace, and gives its final back. Twice is the same as once. */
export async function lapseSubmission(
  input: { readonly submission: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { submission, at } = input;
  const found = await findSubmission(submission, tx);
  const context = found === undefined ? undefined : await lockRun(found.run.id, tx);
  if (found === undefined || context === undefined) return;
  const state = await lockedState(submission, tx);
  if ((state !== 'committed' && state !== 'uploading') || at < found.submission.uploadUntil) return;
  await moveSubmission({ submission, event: 'graceEnded', at, actor: 'gateway', reason: lapseReason }, tx);
  if (found.submission.purpose === 'final')
    await releaseFinal({ ...context, submission, reason: lapseReason, at }, deps, tx);
}
