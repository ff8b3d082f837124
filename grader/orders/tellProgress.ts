import { noteProgress, type OrderRow, openOrders } from '@vtb/db/vault/orders.ts';
import { latestAttempts } from '@vtb/db/vault/replays.ts';
import { trialCounts } from '@vtb/db/vault/trials.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import type { Enclave } from '../enclave.ts';
import { sendNotice } from '../notices.ts';

/** Tells the gateway how far open orders are: state and attempt; counts of trials for visible splits alone. */
export async function tellProgress(enclave: Enclave): Promise<void> {
  const orders = await openOrders(enclave.db);
  const attempts = await latestAttempts(
    orders.map((order) => order.id),
    enclave.db,
  );
  for (const order of orders) await tellOne(order, attempts.get(order.id), enclave);
}

async function tellOne(order: OrderRow, attempt: number | undefined, enclave: Enclave): Promise<void> {
  const { db, limits } = enclave;
  const now = enclave.now();
  const state = order.state === 'replaying' ? 'replaying' : 'accepted';
  const body = {
    order: order.id,
    state,
    attempt: attempt ?? 1,
    trials: await visibleTrials(order, enclave),
  } as const;
  const said = canonicalJson(body);
  if (said === order.progressSaid) return;
  const soon =
    order.progressAt !== null && now.getTime() - order.progressAt.getTime() < limits.progressEveryMs;
  if (soon && order.progressSaid !== null) return;
  await db.transaction(async (tx) => {
    await noteProgress({ order: order.id, said, now }, tx);
    await sendNotice({ kind: 'progress', ...body }, tx, enclave);
  });
}

async function visibleTrials(order: OrderRow, enclave: Enclave) {
  if (order.hidden) return null;
  const { resolved, total } = await trialCounts(
    { order: order.id, attemptsMax: enclave.limits.trialAttemptsMax, now: enclave.now() },
    enclave.db,
  );
  return total === 0 ? null : { done: resolved, total };
}
