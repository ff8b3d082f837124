import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { findDeletion } from '@vtb/db/public/deletions.ts';
import { writeEvent } from '@vtb/db/public/events.ts';
import { appendFeed } from '@vtb/db/public/feed.ts';
import { type GradingContext, lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { addGrading, lastGrading, openGradings } from '@vtb/db/public/gradings.ts';
import { currentSplit, type SplitRow } from '@vtb/db/public/splits.ts';
import { sayWhyWaiting } from '@vtb/db/public/waitingSubmissions.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { audiences, type Cause } from '@vtb/protocol/messages/common.ts';
import { orderSchema } from '@vtb/protocol/messages/order.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import { settingsDigest } from '@vtb/protocol/season/settingsDigest.ts';
import { orderDeadline } from '../airlock/orderDeadline.ts';
import { seasonTrack } from '../airlock/seasonTrack.ts';
import type { Deps } from '../deps.ts';
import { teamPseudonym } from '../identity/teamPseudonym.ts';

/** Why a submission is to be graded now. */
export interface GradingRequest {
  readonly submission: string;
  readonly cause: Cause;
  /** A maintainer's words for a re-grade; null for the first. */
  readonly reason: string | null;
  /** An account's id, or 'gateway'. */
  readonly actor: string;
  readonly at: Date;
}

/** What came of it: an order in the feed, or a submission that waits for the enclave to hold its split. */
export type Ordered =
  | { readonly kind: 'ordered'; readonly grading: string; readonly order: string; readonly number: number }
  | { readonly kind: 'waiting' };

/** What a team is told while no order can be made. */
export const waitingForSplit = 'the grader has not said yet that it holds this track’s tasks';

/**
 * Orders one more grading of a submission: the signed order joins the feed in the caller's transaction.
 *
 * Gradings append: nothing about earlier ones changes.
 * throws  Refusal('grading.open') while an earlier order is unanswered, Refusal('notFound') for no such submission.
 */
export async function orderGrading(request: GradingRequest, deps: Deps, tx: Db): Promise<Ordered> {
  const context = await lockGradingContext(request.submission, tx);
  if (context === undefined) throw new Refusal('notFound', `there is no submission ${request.submission}`);
  if ((await findDeletion(request.submission, tx)) !== undefined)
    throw new Refusal('state.conflict', 'the team had this system’s bytes deleted; nothing is left to grade');
  const [open] = await openGradings(request.submission, tx);
  if (open !== undefined) {
    throw new Refusal(
      'grading.open',
      `grading ${open.number} of ${request.submission} is ${open.state}; wait until it has ended`,
    );
  }
  const { submission, run, entry } = context;
  const split = await currentSplit(
    { season: entry.season, track: run.track, purpose: submission.purpose },
    tx,
  );
  if (split === undefined) return wait(request, submission.state, tx);
  return order(request, context, split, deps, tx);
}

async function wait(request: GradingRequest, state: string, tx: Db): Promise<Ordered> {
  const { submission, at } = request;
  if (state !== 'queued') throw new Refusal('state.conflict', `${waitingForSplit}; try again when it does`);
  if (await sayWhyWaiting({ submission, reason: waitingForSplit }, tx))
    await writeEvent({ submission, kind: 'state', state, reason: waitingForSplit, progress: null, at }, tx);
  return { kind: 'waiting' };
}

async function order(
  request: GradingRequest,
  { submission, run, entry }: GradingContext,
  split: SplitRow,
  deps: Deps,
  tx: Db,
): Promise<Ordered> {
  const { at, cause, reason } = request;
  const { track } = seasonTrack({ season: entry.season, track: run.track }, deps);
  const number = ((await lastGrading(submission.id, tx))?.number ?? 0) + 1;
  const grading = newId('grading', deps.random(20));
  const orderId = newId('order', deps.random(20));
  const settings = settingsDigest(track);
  const row = await appendFeed(
    {
      kind: 'order',
      order: orderId,
      at,
      sign: (place) => {
        const payload = orderSchema.parse({
          v: 1,
          aud: audiences.grader,
          ...place,
          order: orderId,
          grading,
          gradingNumber: number,
          submission: submission.id,
          season: entry.season,
          track: run.track,
          purpose: submission.purpose,
          system: submission.system,
          split: split.split,
          settings,
          team: teamPseudonym({ season: entry.season, team: entry.team }, deps.keys.pseudonym),
          cause,
          priority: 0,
          issuedAt: at.toISOString(),
          deadline: orderDeadline({ track, tasks: split.tasks, orderedAt: at }).toISOString(),
        });
        return seal('order', payload, deps.keys.signing);
      },
    },
    tx,
  );
  await addGrading(
    {
      id: grading,
      submission: submission.id,
      number,
      cause,
      reason,
      state: 'ordered',
      order: orderId,
      orderDigest: row.digest,
      split: split.split,
      settings,
      orderedAt: at,
    },
    tx,
  );
  await sayOrdered({ grading, number, order: orderId, feedNumber: row.number }, request, submission, tx);
  return { kind: 'ordered', grading, order: orderId, number };
}

async function sayOrdered(
  made: {
    readonly grading: string;
    readonly number: number;
    readonly order: string;
    readonly feedNumber: number;
  },
  { at, actor, cause, reason }: GradingRequest,
  submission: GradingContext['submission'],
  tx: Db,
): Promise<void> {
  const detail = {
    submission: submission.id,
    order: made.order,
    number: made.number,
    feed: made.feedNumber,
    cause,
  };
  await writeAudit({ at, actor, act: 'grading.ordered', subject: made.grading, reason, detail }, tx);
  if (submission.stateReason === waitingForSplit)
    await sayWhyWaiting({ submission: submission.id, reason: null }, tx);
  await writeEvent(
    { submission: submission.id, kind: 'grading', state: submission.state, reason, progress: null, at },
    tx,
  );
}
