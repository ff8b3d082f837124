import type { Vault } from '@vtb/db/vault/connect.ts';
import { lockOrder, moveOrder } from '@vtb/db/vault/orders.ts';
import { killReplays } from '@vtb/db/vault/replays.ts';
import { freeTrials } from '@vtb/db/vault/trials.ts';
import type { Cancel } from '@vtb/protocol/messages/order.ts';
import type { Enclave } from '../enclave.ts';

/** Stops an order: its leases end now, what runners still send is stale, and no report follows. Too late changes nothing. */
export async function cancelOrder(cancel: Cancel, tx: Vault, enclave: Enclave): Promise<void> {
  const now = enclave.now();
  const order = await lockOrder(cancel.order, tx);
  if (order === undefined) return enclave.log('warn', 'cancel.unknown', { order: cancel.order });
  const moved = await moveOrder({ order: order.id, event: 'cancelled', now }, tx);
  if (moved === undefined) return enclave.log('info', 'cancel.late', { order: order.id, state: order.state });
  await freeTrials(await killReplays({ order: order.id, now }, tx), tx);
  enclave.log('info', 'order.cancelled', { order: order.id, cause: cancel.cause });
}
