import type { Db } from '@vtb/db/public/connect.ts';
import { appendFeed } from '@vtb/db/public/feed.ts';
import { lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { type GradingRow, moveGrading, openGradings } from '@vtb/db/public/gradings.ts';
import { audiences } from '@vtb/protocol/messages/common.ts';
import { type Cancel, cancelSchema } from '@vtb/protocol/messages/order.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import type { Deps } from '../deps.ts';

/** Whose orders end, and why. */
export interface Cancellation {
  readonly submission: string;
  readonly cause: Cancel['cause'];
  /** An account's id, or 'gateway'. */
  readonly actor: string;
  readonly at: Date;
}

/**
 * Ends the unanswered orders of a submission: each gets a signed cancel in the feed, and its grading ends cancelled.
 *
 * returns  how many were open; 0 the second time.
 */
export async function cancelOrders(cancellation: Cancellation, deps: Deps, tx: Db): Promise<number> {
  const { submission, cause, actor, at } = cancellation;
  await lockGradingContext(submission, tx);
  const open = await openGradings(submission, tx);
  for (const grading of open) {
    await sendCancel({ grading, cause, at }, deps, tx);
    await moveGrading({ grading, event: 'cancelled', at, actor, reason: cause, set: { finishedAt: at } }, tx);
  }
  return open.length;
}

/** Appends the cancel of one order to the feed. */
export async function sendCancel(
  input: { readonly grading: GradingRow; readonly cause: Cancel['cause']; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { order } = input.grading;
  await appendFeed(
    {
      kind: 'cancel',
      order,
      at: input.at,
      sign: (place) => {
        const cancel = { v: 1, aud: audiences.grader, ...place, order, cause: input.cause };
        return seal('cancel', cancelSchema.parse(cancel), deps.keys.signing);
      },
    },
    tx,
  );
}
