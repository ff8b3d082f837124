import type { Vault } from '@vtb/db/vault/connect.ts';
import { everHeld, findReplay, type ReplayRow, renewReplay } from '@vtb/db/vault/replays.ts';
import { findTrial, heldTrial, type TrialRow } from '@vtb/db/vault/trials.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Enclave } from '../enclave.ts';

/** Who asks about what, with which number. */
export interface Hold {
  readonly id: string;
  readonly runner: string;
  readonly fencing: number;
}

/**
 * The replay when this runner holds it; its lease is renewed by asking.
 *
 * throws  notFound for what is not this runner's or not there; lease.stale for a number or a lease that ended.
 */
export async function heldReplay(hold: Hold, tx: Vault, enclave: Enclave): Promise<ReplayRow> {
  const now = enclave.now();
  const row = await renewReplay({ ...hold, now, until: leaseEnd(enclave) }, tx);
  if (row !== undefined) return row;
  throw (await findReplay(hold.id, tx))?.runner === hold.runner ? stale() : unknown();
}

/** The trial when this runner holds it, its row locked until the transaction ends. throws as heldReplay. */
export async function trialHeld(hold: Hold, tx: Vault, enclave: Enclave): Promise<TrialRow> {
  const row = await heldTrial({ ...hold, now: enclave.now() }, tx);
  if (row !== undefined) return row;
  const trial = await findTrial(hold.id, tx);
  const once = trial !== undefined && (await everHeld({ runner: hold.runner, order: trial.order }, tx));
  throw once ? stale() : unknown();
}

/** When a lease that is given or renewed now ends. */
export function leaseEnd(enclave: Enclave): Date {
  return new Date(enclave.now().getTime() + enclave.limits.leaseMs);
}

/** What is not there and what is another's look alike. */
export function unknown(): Refusal {
  return new Refusal('notFound', 'there is no such thing here');
}

function stale(): Refusal {
  return new Refusal('lease.stale', 'the lease is no longer yours; drop the work');
}
