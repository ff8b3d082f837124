import { openOrders } from '@vtb/db/public/openOrders.ts';
import { endOrder } from '../actions/endOrder.ts';
import { orderDeadline } from '../airlock/orderDeadline.ts';
import { seasonTrack } from '../airlock/seasonTrack.ts';
import type { Deps } from '../deps.ts';

/** A report that was under way at the deadline may still arrive. */
const lateMs = 3_600_000;

/** Gives up orders that nobody answered by their deadline, and what follows from that: a retry, or a maintainer's look. */
export async function endOverdue(deps: Deps): Promise<number> {
  let ended = 0;
  for (const row of await openOrders(deps.now(), deps.db)) {
    if (row.state === 'reported') continue;
    const { track } = seasonTrack(row, deps);
    const deadline = orderDeadline({ track, tasks: row.tasks, orderedAt: row.orderedAt });
    if (deps.now().getTime() < deadline.getTime() + lateMs) continue;
    const isNew = await deps.db.transaction((tx) =>
      endOrder({ submission: row.submission, grading: row.grading, at: deps.now() }, deps, tx),
    );
    if (isNew) ended += 1;
  }
  return ended;
}
