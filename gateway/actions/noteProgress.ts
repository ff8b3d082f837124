import type { Db } from '@vtb/db/public/connect.ts';
import { writeEvent } from '@vtb/db/public/events.ts';
import { lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { findGrading, type GradingRow, gradingOfOrder, moveGrading } from '@vtb/db/public/gradings.ts';
import { keepProgress } from '@vtb/db/public/progress.ts';
import { findSplit } from '@vtb/db/public/splits.ts';
import { moveSubmission } from '@vtb/db/public/submissionState.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Notice } from '@vtb/protocol/messages/notice.ts';
import { isNewerProgress, type Progress, progressSchema } from '../airlock/progress.ts';
import type { Deps } from '../deps.ts';
import { failAsOurs } from './failAsOurs.ts';

type ProgressNotice = Extract<Notice, { kind: 'progress' }>;

/**
 * How far the enclave is with an order. Older news than what is known, and news about an order that has ended, change
 * nothing: notices may come late and in any order.
 */
export async function noteProgress(
  input: { readonly notice: ProgressNotice; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { notice, at } = input;
  const found = await gradingOfOrder(notice.order, tx);
  const context = found && (await lockGradingContext(found.submission, tx));
  const grading = found && (await findGrading(found.id, tx));
  if (context === undefined || grading === undefined)
    throw new Refusal('message.invalid', `the notice is about no order of this gateway: ${notice.order}`);
  const { submission, run, entry } = context;
  const split = await findSplit(
    { season: entry.season, track: run.track, purpose: submission.purpose, split: grading.split },
    tx,
  );
  if (notice.trials !== null && split?.secrecy !== 'visible')
    throw new Refusal('message.invalid', 'trials of a hidden split are not counted outside the enclave');
  if (grading.state !== 'ordered' && grading.state !== 'replaying') return;
  if (notice.state === 'refused') return refused(grading, at, deps, tx);

  const progress = progressSchema.parse({
    state: notice.state,
    attempt: notice.attempt,
    done: notice.trials?.done ?? null,
    total: notice.trials?.total ?? null,
  });
  const known = grading.progress === null ? null : progressSchema.parse(grading.progress);
  // Of a hidden split each state is said once: further attempts would be a clock that a box can write to.
  if (split?.secrecy !== 'visible' && known !== null && known.state === progress.state) return;
  if (!isNewerProgress(progress, known)) return;
  await keep({ grading, progress, at, known }, tx);
  const state = submission.state === 'queued' ? 'grading' : submission.state;
  if (submission.state === 'queued')
    await moveSubmission(
      {
        submission: submission.id,
        event: 'gradingAccepted',
        at,
        actor: 'grader',
        reason: null,
        detail: { grading: grading.id },
      },
      tx,
    );
  const shown = { state: progress.state, done: progress.done, total: progress.total };
  await writeEvent(
    { submission: submission.id, kind: 'progress', state, reason: null, progress: shown, at },
    tx,
  );
}

async function keep(
  input: {
    readonly grading: GradingRow;
    readonly progress: Progress;
    readonly known: Progress | null;
    readonly at: Date;
  },
  tx: Db,
): Promise<void> {
  const { grading, progress, at } = input;
  if (grading.state === 'ordered') {
    const set = { progress };
    await moveGrading({ grading, event: 'accepted', at, actor: 'grader', reason: null, set }, tx);
    return;
  }
  await keepProgress({ grading: grading.id, progress }, tx);
}

async function refused(grading: GradingRow, at: Date, deps: Deps, tx: Db): Promise<void> {
  const reason = 'our fault: the grader refused the order';
  await moveGrading({ grading, event: 'failed', at, actor: 'grader', reason, set: { finishedAt: at } }, tx);
  await failAsOurs({ submission: grading.submission, reason, actor: 'grader', at }, deps, tx);
}
