import { writeAudit } from '@vtb/db/public/audit.ts';
import { bumpBoard } from '@vtb/db/public/boardVersion.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { writeEvent } from '@vtb/db/public/events.ts';
import { type GradingContext, lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { findGrading, type GradingRow } from '@vtb/db/public/gradings.ts';
import { appendLeaf, lockLog, logSize } from '@vtb/db/public/log.ts';
import { markPublished, pointTo } from '@vtb/db/public/publications.ts';
import { moveSubmission } from '@vtb/db/public/submissionState.ts';
import { failureReason } from '@vtb/protocol/messages/failureReason.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { resultSchema } from '@vtb/protocol/messages/report.ts';

/**
 * Publishes one reported final: submission, pointer, leaf, board version and audit in one transaction.
 *
 * at       the instant of the release grid that is said to everybody.
 * returns  whether it was published now; false the second time, before the season's log is open, and where the submission
 *          was held or disqualified meanwhile.
 */
export async function publish(
  input: { readonly grading: string; readonly submission: string; readonly at: Date },
  tx: Db,
): Promise<boolean> {
  const { at } = input;
  const context = await lockGradingContext(input.submission, tx);
  const grading = await findGrading(input.grading, tx);
  if (context === undefined || grading === undefined) return false;
  const due = grading.state === 'reported' && grading.publishedAt === null;
  const { state } = context.submission;
  if (!due || !(state === 'grading' || state === 'graded' || state === 'published')) return false;
  const { season } = context.entry;
  await lockLog(season, tx);
  if ((await logSize(season, tx)) === 0) return false;
  const leaf = await appendLeaf({ leaf: publicationLeaf(context, grading, at), at }, tx);
  await markPublished({ grading: grading.id, at, leaf }, tx);
  await moveAlong(context, grading, at, tx);
  await bumpBoard(season, at, tx);
  const detail = {
    submission: grading.submission,
    number: grading.number,
    leaf,
    report: grading.reportDigest,
  };
  await writeAudit(
    { at, actor: 'gateway', act: 'grading.published', subject: grading.id, reason: null, detail },
    tx,
  );
  return true;
}

function publicationLeaf({ submission, run, entry }: GradingContext, grading: GradingRow, at: Date) {
  return leafSchema.parse({
    kind: 'publication',
    season: entry.season,
    track: run.track,
    entry: entry.id,
    submission: submission.id,
    grading: grading.id,
    gradingNumber: grading.number,
    system: submission.system,
    report: grading.reportDigest,
    at: at.toISOString(),
  });
}

async function moveAlong(
  { submission }: GradingContext,
  grading: GradingRow,
  at: Date,
  tx: Db,
): Promise<void> {
  const result = resultSchema.parse(grading.result);
  const reason = result.kind === 'failed' ? failureReason(result) : null;
  const step = { submission: submission.id, at, reason, detail: { grading: grading.id } };
  await pointTo({ submission: submission.id, grading: grading.id }, tx);
  if (submission.state === 'published') {
    await writeEvent(
      { submission: submission.id, kind: 'grading', state: 'published', reason, progress: null, at },
      tx,
    );
    return;
  }
  if (submission.state === 'grading')
    await moveSubmission({ ...step, event: 'resultArrived', actor: 'grader' }, tx);
  await moveSubmission({ ...step, event: 'published', actor: 'gateway' }, tx);
}
