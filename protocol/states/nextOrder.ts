import type { Purpose } from '../messages/common.ts';

/** An order that waits or runs, as both gateway and vault know it. */
export interface OpenOrder {
  readonly id: string;
  readonly number: number;
  readonly purpose: Purpose;
  /** Team pseudonym. */
  readonly team: string;
  readonly priority: number;
  /** Trials × the season's nominal minutes a trial: never measured time. */
  readonly nominalMinutes: number;
}

/**
 * Which waiting order a free runner takes: finals before validation, then higher priority, then the team with the
 * least nominal cost at work (fair share), then the lower number. Gateway and vault use this one function, so what a
 * team is shown is what happens.
 *
 * waiting   orders not yet at work, any order of the list.
 * atWork    orders being replayed now.
 * returns   undefined when nothing waits. Deterministic: numbers are unique.
 */
export function nextOrder(
  waiting: readonly OpenOrder[],
  atWork: readonly OpenOrder[],
): OpenOrder | undefined {
  const share = new Map<string, number>();
  for (const order of atWork) share.set(order.team, (share.get(order.team) ?? 0) + order.nominalMinutes);
  const rank = (order: OpenOrder) => [
    order.purpose === 'final' ? 0 : 1,
    -order.priority,
    share.get(order.team) ?? 0,
    order.number,
  ];
  return [...waiting].sort((a, b) => compareRanks(rank(a), rank(b)))[0];
}

/**
 * The order in which waiting orders will start if nothing new arrives and each starts as one slot frees up:
 * repeated `nextOrder`, each pick counted as work of its team.
 */
export function startSequence(waiting: readonly OpenOrder[], atWork: readonly OpenOrder[]): OpenOrder[] {
  const left = [...waiting];
  const working = [...atWork];
  const sequence: OpenOrder[] = [];
  for (let next = nextOrder(left, working); next !== undefined; next = nextOrder(left, working)) {
    left.splice(left.indexOf(next), 1);
    working.push(next);
    sequence.push(next);
  }
  return sequence;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
