import type { Db } from '@vtb/db/public/connect.ts';
import { stateOf } from '@vtb/db/public/submissionState.ts';
import { type GradingRow, gradingsOfSubmission, type SubmissionContext } from '@vtb/db/public/submissions.ts';
import { missingChunks } from '@vtb/db/public/teamChunks.ts';
import { resultSchema } from '@vtb/protocol/messages/report.ts';
import { gradingStates } from '@vtb/protocol/states/grading.ts';
import type { gradingSchema, Submission, submissionSchema } from '@vtb/protocol/wire/submissions.ts';
import { problemListSchema, progressSchema } from '@vtb/protocol/wire/submissions.ts';
import type { z } from 'zod';
import { queueView } from '../airlock/queueView.ts';
import type { Deps } from '../deps.ts';

type GradingView = z.input<typeof gradingSchema>;
/** A submission on its way out. */
export type SubmissionView = z.input<typeof submissionSchema>;

/** A submission as its team sees it. */
export async function submissionView(
  input: { readonly context: SubmissionContext; readonly at: Date },
  deps: Pick<Deps, 'seasons' | 'keys'>,
  db: Db,
): Promise<SubmissionView> {
  const { submission, run, entry } = input.context;
  const state = stateOf(submission.state);
  const gradings = await gradingsOfSubmission(submission.id, db);
  const missing = await missingChunks({ submission: submission.id, team: entry.team, limit: 1 }, db);
  const place =
    state === 'queued' ? await queueView({ submission: submission.id, at: input.at }, deps, db) : null;
  return {
    id: submission.id,
    run: run.id,
    entry: entry.id,
    season: entry.season,
    track: run.track,
    purpose: submission.purpose,
    state,
    stateAt: submission.stateAt.toISOString(),
    stateReason: submission.stateReason,
    system: submission.system,
    bytes: submission.bytes,
    bytesArrived: Math.max(0, submission.bytes - missing.bytes),
    committedAt: submission.committedAt.toISOString(),
    uploadUntil: submission.uploadUntil.toISOString(),
    problems: problemListSchema.parse(submission.problems),
    withdrawnAt: submission.withdrawnAt?.toISOString() ?? null,
    queuePosition: place?.position ?? null,
    expectedWaitMinutes: place === null ? null : Math.round(place.expectedWaitMinutes),
    progress: shownProgress(gradings, submission.purpose),
    gradings: gradings.map((grading) => gradingView(grading, submission, input.at)),
  };
}

/**
 * A grading as its team sees it: of a final nothing shows before its release, not even that it has ended, because when it
 * ended would tell how long it took.
 */
function gradingView(
  grading: GradingRow,
  submission: SubmissionContext['submission'],
  at: Date,
): GradingView {
  const published = grading.publishedAt !== null && grading.publishedAt <= at;
  const shows = submission.purpose === 'validation' || published;
  const state = gradingStates.find((known) => known === grading.state);
  if (state === undefined) throw new Error(`grading ${grading.id} is in the unknown state ${grading.state}`);
  const ended = state === 'reported' && !shows ? 'replaying' : state;
  return {
    id: grading.id,
    number: grading.number,
    cause: grading.cause,
    state: ended,
    orderedAt: grading.orderedAt.toISOString(),
    finishedAt: ended === state ? (grading.finishedAt?.toISOString() ?? null) : null,
    current: submission.currentGrading === grading.id,
    published,
    result: shows && grading.result !== null ? resultSchema.parse(grading.result) : null,
    receipt: published ? `/api/v1/receipts/${grading.id}` : null,
  };
}

function shownProgress(
  gradings: readonly GradingRow[],
  purpose: 'validation' | 'final',
): Submission['progress'] {
  // A final whose report is in goes on to look as it did until its release, or the moment would show.
  const open = gradings.findLast(
    ({ state, publishedAt }) =>
      state === 'ordered' ||
      state === 'replaying' ||
      (state === 'reported' && purpose === 'final' && publishedAt === null),
  );
  const progress = progressSchema.nullable().safeParse(open?.progress ?? null).data ?? null;
  return progress === null || purpose === 'validation' ? progress : { ...progress, done: null, total: null };
}
