import { raiseAlarm } from '@vtb/db/vault/alarms.ts';
import type { Vault } from '@vtb/db/vault/connect.ts';
import { enterFinal } from '@vtb/db/vault/finals.ts';
import { addOrder, moveOrder, orderKnown } from '@vtb/db/vault/orders.ts';
import type { Order } from '@vtb/protocol/messages/order.ts';
import type { Enclave } from '../enclave.ts';
import { sendNotice } from '../notices.ts';
import { judgeOrder } from './judgeOrder.ts';
import { sendReport } from './sendReport.ts';

/** Takes an order into the vault: to be worked, failed with a report, or refused. In the feed's transaction. */
export async function takeOrder(order: Order, digest: string, tx: Vault, enclave: Enclave): Promise<void> {
  const now = enclave.now();
  if (await orderKnown({ order: order.order, grading: order.grading }, tx)) {
    enclave.log('error', 'order.repeated', { order: order.order });
    return raiseAlarm(
      {
        at: now,
        code: 'order.repeated',
        subject: order.order,
        detail: 'an order or grading id was used before',
      },
      tx,
    );
  }
  const judged = await judgeOrder(order, tx, enclave);
  const work = judged.kind === 'work';
  const { trials } = work ? judged.track.settings : { trials: 1 };
  await addOrder(
    {
      id: order.order,
      number: order.number,
      digest,
      grading: order.grading,
      submission: order.submission,
      gradingNumber: order.gradingNumber,
      document: order,
      state: 'ordered',
      // What the vault doesn't know is treated as hidden.
      hidden: judged.split?.hidden ?? true,
      trialsPerTask: trials,
      nominalMinutes: work ? judged.split.tasks * trials * judged.track.nominalMinutesPerTrial : 0,
      acceptedAt: now,
      deadline: new Date(order.deadline),
    },
    tx,
  );
  if (work) {
    const { submission, season, track, team, system } = order;
    if (order.purpose === 'final') await enterFinal({ submission, season, track, team, system, at: now }, tx);
    return enclave.log('info', 'order.taken', { order: order.order, track });
  }
  enclave.log('error', `order.${judged.kind}`, { order: order.order, why: judged.why });
  await raiseAlarm({ at: now, code: `order.${judged.kind}`, subject: order.order, detail: judged.why }, tx);
  if (judged.kind === 'fail') {
    const result = { kind: 'failed', fault: 'ours', cause: judged.cause } as const;
    const row = await moveOrder({ order: order.order, event: 'failed', now, result }, tx);
    if (row !== undefined)
      await sendReport(
        {
          order: row,
          result,
          attachments: [],
          maintainers: { holdCause: null, failedPhases: [], detail: judged.why },
        },
        tx,
        enclave,
      );
    return;
  }
  await moveOrder({ order: order.order, event: 'cancelled', now }, tx);
  await sendNotice(
    { kind: 'progress', order: order.order, state: 'refused', attempt: 1, trials: null },
    tx,
    enclave,
  );
}
