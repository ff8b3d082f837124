import type { Db } from '@vtb/db/public/connect.ts';
import { runnerCount } from '@vtb/db/public/notices.ts';
import { type OpenOrderRow, openOrders } from '@vtb/db/public/openOrders.ts';
import { type OpenOrder, startSequence } from '@vtb/protocol/states/nextOrder.ts';
import type { Deps } from '../deps.ts';
import { teamPseudonym } from '../identity/teamPseudonym.ts';
import { nominalMinutes } from './orderDeadline.ts';
import { seasonTrack } from './seasonTrack.ts';

/** Where a waiting order stands: 1 is next; the wait in the seasons' nominal minutes, never in measured time. */
export interface QueuePlace {
  readonly position: number;
  readonly expectedWaitMinutes: number;
}

/** An open order as maintainers see it. */
export interface QueueLine {
  readonly row: OpenOrderRow;
  readonly place: QueuePlace | null;
  readonly nominalMinutes: number;
}

/**
 * Everything ordered and not answered: what is at work first, then what waits, in the order in which it will start by
 * the function the vault schedules with.
 */
export async function queueLines(
  at: Date,
  deps: Pick<Deps, 'seasons' | 'keys'>,
  db: Db,
): Promise<QueueLine[]> {
  // Seasons that this gateway no longer serves keep their orders, but nobody asks for their place.
  const rows = (await openOrders(at, db)).filter(({ season }) => deps.seasons.has(season));
  const slots = Math.max(1, await runnerCount(db));
  const byId = new Map(rows.map((row) => [row.order, { row, order: openOrder(row, deps) }]));
  const all = [...byId.values()];
  const atWork = all.filter(({ row }) => row.state !== 'ordered');
  const waiting = all.filter(({ row }) => row.state === 'ordered');
  const sequence = startSequence(
    waiting.map(({ order }) => order),
    atWork.map(({ order }) => order),
  );
  let ahead = atWork.reduce((sum, { order }) => sum + order.nominalMinutes, 0);
  const placed = sequence.flatMap((order, index): QueueLine[] => {
    const row = byId.get(order.id)?.row;
    if (row === undefined) return [];
    const place = { position: index + 1, expectedWaitMinutes: ahead / slots };
    ahead += order.nominalMinutes;
    return [{ row, place, nominalMinutes: order.nominalMinutes }];
  });
  const working = atWork.map(({ row, order }) => ({
    row,
    place: null,
    nominalMinutes: order.nominalMinutes,
  }));
  return [...working, ...placed];
}

/** The place of a submission's waiting order; null when it has none or is at work. */
export async function queueView(
  input: { readonly submission: string; readonly at: Date },
  deps: Pick<Deps, 'seasons' | 'keys'>,
  db: Db,
): Promise<QueuePlace | null> {
  const lines = await queueLines(input.at, deps, db);
  return lines.find(({ row }) => row.submission === input.submission)?.place ?? null;
}

function openOrder(row: OpenOrderRow, deps: Pick<Deps, 'seasons' | 'keys'>): OpenOrder {
  const { track } = seasonTrack(row, deps);
  return {
    id: row.order,
    number: row.number,
    purpose: row.purpose,
    team: teamPseudonym(row, deps.keys.pseudonym),
    priority: 0,
    nominalMinutes: nominalMinutes(track, row.tasks),
  };
}
