import { declareAttachments } from '@vtb/db/public/attachments.ts';
import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { writeEvent } from '@vtb/db/public/events.ts';
import { type GradingContext, lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { type GradingRow, gradingOfOrder, moveGrading, noteLateReport } from '@vtb/db/public/gradings.ts';
import { pointTo } from '@vtb/db/public/publications.ts';
import { findSplit } from '@vtb/db/public/splits.ts';
import { moveSubmission, stateOf } from '@vtb/db/public/submissionState.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { failureReason } from '@vtb/protocol/messages/failureReason.ts';
import { type Report, type ReportEnvelope, reportSchema } from '@vtb/protocol/messages/report.ts';
import { unseal } from '@vtb/protocol/messages/sealing.ts';
import { submissionTable } from '@vtb/protocol/states/submission.ts';
import { transition } from '@vtb/protocol/states/transition.ts';
import { checkReport } from '../airlock/checkReport.ts';
import { nextRelease } from '../airlock/releaseInstant.ts';
import { seasonTrack } from '../airlock/seasonTrack.ts';
import type { Deps } from '../deps.ts';
import { spendQuota } from '../quota/spendQuota.ts';
import { failAsOurs } from './failAsOurs.ts';

/** Accepted now, or the second time. */
export interface Accepted {
  readonly accepted: true;
  readonly again: boolean;
}

const now: Accepted = { accepted: true, again: false };
const again: Accepted = { accepted: true, again: true };

/**
 * Accepts the report that answers an order of ours. The same report again changes nothing.
 *
 * A report for an order that was cancelled or given up meanwhile is acknowledged, so that the courier can let go of it,
 * and its result is not used.
 * throws  Refusal('message.invalid') with everything that is wrong with it, or Refusal('message.conflict') when another
 *         report for this order was accepted before.
 */
export async function acceptReport(
  input: { readonly envelope: ReportEnvelope; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<Accepted> {
  const { envelope, at } = input;
  const { payload: report } = await unseal('report', envelope.report, reportSchema, deps.keys.grader, 65_536);
  if (sha256Hex(envelope.maintainers) !== report.maintainersPart)
    throw new Refusal('message.invalid', 'the maintainers’ part is not the one that the report names');
  const context = await lockGradingContext(report.submission, tx);
  const grading = await gradingOfOrder(report.order, tx);
  if (context === undefined || grading === undefined)
    throw new Refusal('message.invalid', `the report answers no order of this gateway: ${report.order}`);
  await refuseMismatch(report, grading, context, deps, tx);
  const digest = sha256Hex(envelope.report);
  if (grading.reportDigest !== null) {
    if (grading.reportDigest === digest) return again;
    throw new Refusal('message.conflict', `another report for ${report.order} was accepted before`);
  }
  const isOpen = grading.state === 'ordered' || grading.state === 'replaying';
  if (!isOpen) return keepLate({ grading, digest, at }, tx);
  await keepReport({ report, envelope, digest, grading, context, at }, deps, tx);
  return now;
}

async function refuseMismatch(
  report: Report,
  grading: GradingRow,
  context: GradingContext,
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { run, entry, submission } = context;
  const split = await findSplit(
    { season: entry.season, track: run.track, purpose: submission.purpose, split: grading.split },
    tx,
  );
  if (split === undefined || grading.submission !== submission.id)
    throw new Refusal(
      'message.invalid',
      `the report names another submission than the order ${report.order}`,
    );
  const { track } = seasonTrack({ season: entry.season, track: run.track }, deps);
  const problems = checkReport(report, { grading, context, split, track });
  if (problems.length > 0)
    throw new Refusal('message.invalid', 'the report does not answer the order that it names', problems);
}

async function keepLate(
  { grading, digest, at }: { readonly grading: GradingRow; readonly digest: string; readonly at: Date },
  tx: Db,
): Promise<Accepted> {
  await noteLateReport({ grading: grading.id, digest }, tx);
  const detail = { state: grading.state, report: digest };
  await writeAudit(
    { at, actor: 'grader', act: 'report.late', subject: grading.id, reason: null, detail },
    tx,
  );
  return now;
}

interface Arrival {
  readonly report: Report;
  readonly envelope: ReportEnvelope;
  readonly digest: string;
  readonly grading: GradingRow;
  readonly context: GradingContext;
  readonly at: Date;
}

async function keepReport(arrival: Arrival, deps: Deps, tx: Db): Promise<void> {
  const { report, envelope, digest, grading, context, at } = arrival;
  const { submission, entry } = context;
  const { result } = report;
  const ours = result.kind === 'failed' && result.fault === 'ours';
  const { loaded } = seasonTrack({ season: entry.season, track: context.run.track }, deps);
  // A final's end carries the release instant: when the grading really ended would tell how long it took.
  const finishedAt =
    submission.purpose === 'final' && !ours ? nextRelease(at, loaded.season.releaseGridSeconds) : at;
  const moved = await moveGrading(
    {
      grading,
      event: ours ? 'failed' : 'reported',
      at,
      actor: 'grader',
      reason: result.kind === 'failed' ? failureReason(result) : null,
      set: {
        report: envelope.report,
        reportDigest: digest,
        result,
        maintainersPart: envelope.maintainers,
        finishedAt,
      },
    },
    tx,
  );
  if (moved === null) throw new Error(`${grading.id} is ${grading.state} while its submission is locked`);
  if (result.kind === 'failed' && result.fault === 'ours') {
    await failAsOurs(
      { submission: submission.id, reason: failureReason(result), actor: 'grader', at },
      deps,
      tx,
    );
    return;
  }
  await declareAttachments(
    report.attachments.map(({ sha256, size, kind }) => ({ grading: grading.id, sha256, size, kind })),
    tx,
  );
  if (submission.purpose === 'validation') await finishValidation(arrival, deps, tx);
  else await keepQuiet(arrival, tx);
}

/** A final moves at its release, with its publication; until then it looks as if it were still being graded. */
async function keepQuiet({ context, at }: Arrival, tx: Db): Promise<void> {
  const { id, state } = context.submission;
  if (state !== 'queued') return;
  await moveSubmission({ submission: id, event: 'gradingAccepted', at, actor: 'grader', reason: null }, tx);
}

async function finishValidation(
  { report, grading, context, at }: Arrival,
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { submission } = context;
  await spendQuota({ submission: submission.id, account: 'validations', reason: 'graded' }, deps, tx);
  const reason = report.result.kind === 'failed' ? failureReason(report.result) : null;
  const state = stateOf(submission.state);
  if (transition(submissionTable, state, 'resultArrived') === undefined) {
    await pointTo({ submission: submission.id, grading: grading.id }, tx);
    await writeEvent({ submission: submission.id, kind: 'grading', state, reason, progress: null, at }, tx);
    return;
  }
  await moveSubmission(
    {
      submission: submission.id,
      event: 'resultArrived',
      at,
      actor: 'grader',
      reason,
      set: { currentGrading: grading.id },
      detail: { grading: grading.id },
    },
    tx,
  );
}
