import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { writeEvent } from '@vtb/db/public/events.ts';
import { wasTaken } from '@vtb/db/public/gradings.ts';
import { lockRun } from '@vtb/db/public/runs.ts';
import { lockedState, moveSubmission } from '@vtb/db/public/submissionState.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import { markWithdrawn } from '@vtb/db/public/withdrawals.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { SubmissionState } from '@vtb/protocol/states/submission.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';
import { releaseFinal } from '../quota/releaseFinal.ts';
import { spendQuota } from '../quota/spendQuota.ts';
import { cancelOrders } from './cancelOrders.ts';
import { recordWithdrawal } from './recordWithdrawal.ts';

/** Who takes what back, and why. */
export interface Withdrawal {
  readonly submission: string;
  readonly reason: string;
  readonly actor: string;
  readonly at: Date;
}

/**
 * Takes a submission back. Before it is queued everything reserved is given back; from then on nothing is; once grading
 * has started it is marked and its score stays. The second time changes nothing.
 *
 * throws  Refusal('submission.notWithdrawable') while it is being checked and after it has ended otherwise.
 */
export async function withdrawSubmission(withdrawal: Withdrawal, deps: Deps, tx: Db): Promise<void> {
  const { submission, actor, at } = withdrawal;
  const found = await findSubmission(submission, tx);
  const run = found === undefined ? undefined : await lockRun(found.run.id, tx);
  const state = await lockedState(submission, tx);
  if (found === undefined || run === undefined || state === undefined) throw notFound();
  const isFinal = found.submission.purpose === 'final';
  switch (state) {
    case 'committed':
    case 'uploading':
      await takeBack(withdrawal, tx);
      if (isFinal) await releaseFinal({ ...run, submission, reason: 'withdrawn', at }, deps, tx);
      return;
    case 'queued':
      if (await wasTaken(submission, tx))
        throw new Refusal(
          'submission.notWithdrawable',
          'its grading has started before and failed by our fault; it is graded again, and can be withdrawn then',
        );
      await takeBack(withdrawal, tx);
      if (isFinal) await recordWithdrawal({ submission, actor, at }, tx);
      else await spendQuota({ submission, account: 'validations', reason: 'withdrawn' }, deps, tx);
      await cancelOrders({ submission, cause: 'withdrawn', actor, at }, deps, tx);
      return;
    case 'grading':
    case 'graded':
    case 'published':
    case 'held':
      if ((await mark(withdrawal, state, tx)) && isFinal)
        await recordWithdrawal({ submission, actor, at }, tx);
      return;
    case 'withdrawn':
      return;
    case 'checking':
    case 'refused':
    case 'lapsed':
    case 'disqualified':
      throw new Refusal(
        'submission.notWithdrawable',
        `the submission is ${state}; it can be withdrawn while uploading, queued or graded`,
      );
  }
}

async function takeBack({ submission, reason, actor, at }: Withdrawal, tx: Db): Promise<void> {
  await moveSubmission({ submission, event: 'withdrawn', at, actor, reason, set: { withdrawnAt: at } }, tx);
}

/** returns  false when it was marked before. */
async function mark(
  { submission, reason, actor, at }: Withdrawal,
  state: SubmissionState,
  tx: Db,
): Promise<boolean> {
  if (!(await markWithdrawn({ submission, at }, tx))) return false;
  const line = {
    at,
    actor,
    act: 'submission.markedWithdrawn',
    subject: submission,
    reason,
    detail: { state },
  };
  await writeAudit(line, tx);
  await writeEvent({ submission, kind: 'state', state, reason, progress: null, at }, tx);
  return true;
}
