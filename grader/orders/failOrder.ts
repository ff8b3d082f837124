import { lockOrder, moveOrder } from '@vtb/db/vault/orders.ts';
import { killReplays } from '@vtb/db/vault/replays.ts';
import { freeTrials } from '@vtb/db/vault/trials.ts';
import type { Result } from '@vtb/protocol/messages/report.ts';
import type { Enclave } from '../enclave.ts';
import { sendReport } from './sendReport.ts';

/** Ends an open order without a score: state, leases and report in one transaction. The second time changes nothing. */
export async function failOrder(
  input: {
    readonly order: string;
    readonly result: Extract<Result, { kind: 'failed' }>;
    readonly detail: string;
  },
  enclave: Enclave,
): Promise<void> {
  const { result } = input;
  const failed = await enclave.db.transaction(async (tx) => {
    const now = enclave.now();
    const before = await lockOrder(input.order, tx);
    if (before === undefined) return false;
    const order = await moveOrder({ order: before.id, event: 'failed', now, result }, tx);
    if (order === undefined) return false;
    await freeTrials(await killReplays({ order: order.id, now }, tx), tx);
    await sendReport(
      {
        order,
        result,
        attachments: [],
        maintainers: { holdCause: null, failedPhases: [], detail: input.detail.slice(0, 1500) },
      },
      tx,
      enclave,
    );
    return true;
  });
  if (failed)
    enclave.log('warn', 'order.failed', { order: input.order, fault: result.fault, cause: result.cause });
}
