import { type OpenOrderRow, openOrders } from '@vtb/db/public/openOrders.ts';
import { endOrder } from '../actions/endOrder.ts';
import { orderDeadline } from '../airlock/orderDeadline.ts';
import { seasonTrack } from '../airlock/seasonTrack.ts';
import type { Deps } from '../deps.ts';
import { eachItem } from './eachItem.ts';

/** A report that was under way at the deadline may still arrive. */
const lateMs = 3_600_000;

/** Gives up orders that nobody answered by their deadline, and what follows from that: a retry, or a maintainer's look. */
export async function endOverdue(deps: Deps): Promise<number> {
  const open = (await openOrders(deps.now(), deps.db)).filter(
    ({ state, season }) => state !== 'reported' && deps.seasons.has(season),
  );
  return eachItem(open, (row) => endIfOverdue(row, deps), deps);
}

async function endIfOverdue(row: OpenOrderRow, deps: Deps): Promise<boolean> {
  const { submission, grading, tasks, orderedAt } = row;
  const { track } = seasonTrack(row, deps);
  const deadline = orderDeadline({ track, tasks, orderedAt });
  const at = deps.now();
  if (at.getTime() < deadline.getTime() + lateMs) return false;
  return deps.db.transaction((tx) => endOrder({ submission, grading, at }, deps, tx));
}
