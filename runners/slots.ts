import { readdirSync, readFileSync } from 'node:fs';
import { boxSlotsMax, slotUid } from './isolation/slotUid.ts';

/** Slots of uids that a replay runs its processes under. */
export type ReplaySlots = { readonly engine: number; readonly proxy: number; readonly calibration: number };

/** Slots from here on are never leased: tests and probes take theirs there. */
const leasableSlots = boxSlotsMax - 100_000;

/**
 * Leases slots for a replay: random ones, so that runners of one host don't meet, and none that anything runs under.
 *
 * random   gives a whole number in [0, below)
 * isAlive  whether a process with that uid exists
 */
export function leaseSlots(deps: {
  readonly random: (below: number) => number;
  readonly isAlive: (uid: number) => boolean;
}): ReplaySlots {
  const taken = new Set<number>();
  const next = (): number => {
    for (;;) {
      const slot = deps.random(leasableSlots);
      if (taken.has(slot) || deps.isAlive(slotUid(slot))) continue;
      taken.add(slot);
      return slot;
    }
  };
  return { engine: next(), proxy: next(), calibration: next() };
}

/** Whether any process of this host has one of its uids in the list at this moment. */
export function uidIsAlive(): (uid: number) => boolean {
  const alive = new Set<number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    for (const uid of uidsOf(name)) alive.add(uid);
  }
  return (uid) => alive.has(uid);
}

function uidsOf(pid: string): readonly number[] {
  try {
    const line = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
    return line.split(/\s+/).map(Number);
  } catch {
    // It ended meanwhile.
    return [];
  }
}
