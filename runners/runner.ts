import { randomInt } from 'node:crypto';
import type { Capabilities } from '@vtb/protocol/messages/notice.ts';
import type { DeskClient } from './desk/deskClient.ts';
import { drivers } from './drivers/registry.ts';
import { engines } from './engines/registry.ts';
import type { ProcessLevel } from './isolation/level.ts';
import { errorFields, type Log } from './log.ts';
import { pause } from './pause.ts';
import { workReplay } from './replay/workReplay.ts';
import { leaseSlots, uidIsAlive } from './slots.ts';

/** What the daemon runs with. */
export type RunnerDeps = {
  readonly desk: DeskClient;
  /** The level that a probe proved on this host. */
  readonly level: ProcessLevel;
  readonly hardware: string;
  readonly workDir: string;
  readonly log: Log;
  /** Aborted to stop: the replay at hand is released, and the daemon returns. */
  readonly stopping: AbortSignal;
};

/** The desk holds a request this long when it has no work. */
const waitSeconds = 20;
/** After a refusal, such as a key that isn't enrolled yet. */
const refusedMs = 3_000;

/** The daemon: leases a replay, works it, leases the next, until it is told to stop. One replay at a time. */
export async function runForever(deps: RunnerDeps): Promise<void> {
  const { desk, log, stopping } = deps;
  const capabilities = capabilitiesOf(deps);
  while (!stopping.aborted) {
    try {
      const lease = await desk.lease({ capabilities, waitSeconds }, stopping);
      if (lease !== null) await workReplay(lease, { ...deps, leaseSlots: freshSlots });
    } catch (error) {
      if (stopping.aborted) return;
      log('error', 'runner.refused', errorFields(error));
      await pause(refusedMs, stopping).catch(() => {});
    }
  }
}

/** What this runner can do, as it says it with every lease it asks for. */
export function capabilitiesOf(facts: Pick<RunnerDeps, 'level' | 'hardware'>): Capabilities {
  return {
    engines: Object.keys(engines),
    drivers: Object.values(drivers).map((driver) => driver.name),
    isolation: facts.level,
    hardware: facts.hardware,
  };
}

function freshSlots() {
  return leaseSlots({ random: (below) => randomInt(below), isAlive: uidIsAlive() });
}
