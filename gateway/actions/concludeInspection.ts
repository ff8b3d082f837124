import type { Db } from '@vtb/db/public/connect.ts';
import { addLedgerLine } from '@vtb/db/public/ledger.ts';
import { lockRun, type RunContext } from '@vtb/db/public/runs.ts';
import { lockedState, moveSubmission } from '@vtb/db/public/submissionState.ts';
import type { SubmissionContext } from '@vtb/db/public/submissions.ts';
import type { Problem } from '@vtb/protocol/errors.ts';
import type { Deps } from '../deps.ts';
import { releaseFinal } from '../quota/releaseFinal.ts';
import { runStanding } from '../quota/runStanding.ts';
import { spendQuota } from '../quota/spendQuota.ts';
import { orderGrading } from './orderGrading.ts';

/** What inspection found. */
export interface Conclusion {
  readonly context: SubmissionContext;
  readonly problems: readonly Problem[];
  readonly at: Date;
}

/**
 * Ends the checking of a submission: refused with all problems, or queued with its quota reserved and its grading
 * ordered. A submission that is no longer being checked stays as it is, so that inspecting twice does nothing twice.
 */
export async function concludeInspection(conclusion: Conclusion, deps: Deps, tx: Db): Promise<void> {
  const { context, at } = conclusion;
  const { id: submission, purpose } = context.submission;
  const run = await lockRun(context.run.id, tx);
  if (run === undefined || (await lockedState(submission, tx)) !== 'checking') return;
  const problems = [...conclusion.problems, ...(await quotaProblems(conclusion, run, deps, tx))];
  if (problems.length > 0) {
    const reason = `${problems.length} problem(s) were found`;
    await moveSubmission(
      { submission, event: 'inspectionRefused', at, actor: 'gateway', reason, set: { problems } },
      tx,
    );
    if (purpose === 'final') await releaseFinal({ ...run, submission, reason, at }, deps, tx);
    return;
  }
  const line = { team: run.entry.team, run: run.run.id, submission, reason: 'queued', at } as const;
  if (purpose === 'validation') await addLedgerLine({ ...line, account: 'validations', act: 'reserve' }, tx);
  await moveSubmission({ submission, event: 'inspectionPassed', at, actor: 'gateway', reason: null }, tx);
  if (purpose === 'final') await spendQuota({ submission, account: 'finals', reason: 'queued' }, deps, tx);
  // The feed's lock last: everything that bumps a board before appending takes them in this order.
  await orderGrading({ submission, cause: 'first', reason: null, actor: 'gateway', at }, deps, tx);
}

/** Tries that others took between commit and now are gone: a validation try is reserved only here. */
async function quotaProblems(
  { context, problems, at }: Conclusion,
  run: RunContext,
  deps: Deps,
  tx: Db,
): Promise<Problem[]> {
  if (context.submission.purpose === 'final' || problems.length > 0) return [];
  const { validations } = (await runStanding({ ...run, at }, deps, tx)).quota;
  if (validations.left > 0) return [];
  const message = `${validations.spent} of ${validations.limit} validation tries are used and ${validations.reserved} reserved in this run`;
  return [
    {
      code: 'quota.validation',
      at: '',
      message,
      fix: 'No more validation submissions can be graded in this run.',
    },
  ];
}
