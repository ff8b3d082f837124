import type { Log } from '../log.ts';
import type { Spool } from '../spool.ts';
import type { GatewayClient } from './gatewayClient.ts';

/** What the courier works with: one gateway, one spool (the enclave's or a drive's), and no key of the grader. */
export interface Courier {
  readonly client: GatewayClient;
  readonly spool: Spool;
  readonly now: () => Date;
  readonly log: Log;
}

/** How long to wait before trying again: doubling from 250 ms to 30 s, half of it by `chance` in [0, 1). */
export function backoffMs(failures: number, chance: number): number {
  const most = Math.min(30_000, 250 * 2 ** Math.min(failures, 12));
  return Math.round(most / 2 + (most / 2) * chance);
}
