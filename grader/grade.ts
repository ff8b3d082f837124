/**
 * The life of an order, top to bottom.
 *
 *     courier puts it into the inbox
 *       → takeNextMessage   signed, next in the feed's chain; judged against seasons, vault and ledger
 *       → ingestOrder       chunks re-hashed into our own folder, n × k trials planned with their seeds
 *       → desk              runners lease a replay, claim trials, send outcomes; rewards are made as they come
 *       → resolveOrder      every trial resolved and every engine down: counts, interval, signed report
 *       → flushOutgoing     report and notices into the outbox, once
 *     courier delivers it
 *
 * Every step starts from what the vault says and ends in one transaction, so a step that was cut off is simply done
 * again. Nothing is kept in memory between steps.
 */
import { openOrders, overdueOrders, unreadyOrders } from '@vtb/db/vault/orders.ts';
import { closeLostReplays } from '@vtb/db/vault/replays.ts';
import { freeTrials } from '@vtb/db/vault/trials.ts';
import { makeComparisons } from './comparisons/makeComparisons.ts';
import type { Enclave } from './enclave.ts';
import { errorFields } from './log.ts';
import { sendRunnerNews } from './notices.ts';
import { failOrder } from './orders/failOrder.ts';
import { flushOutgoing } from './orders/flushOutgoing.ts';
import { ingestOrder } from './orders/ingestOrder.ts';
import { resolveOrder } from './orders/resolveOrder.ts';
import { sweepFiles } from './orders/sweepFiles.ts';
import { clearInbox, takeNextMessage } from './orders/takeFeed.ts';
import { tellProgress } from './orders/tellProgress.ts';

/**
 * Does every step that is possible now, each order on its own: one that fails doesn't hold up the others, and neither does a
 * message that can't be taken in.
 *
 * throws  what the feed's step threw, after the other steps.
 */
export async function gradeOnce(said: { number: number }, enclave: Enclave): Promise<void> {
  const feed = await takeFeed(said, enclave).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  await eachOrder(await unreadyOrders(enclave.db), 'ingest', ingestOrder, enclave);
  await closeLost(enclave);
  await eachOrder(await overdueOrders(enclave.now(), enclave.db), 'deadline', failOverdue, enclave);
  await eachOrder(
    (await openOrders(enclave.db)).filter((order) => order.state === 'replaying'),
    'resolve',
    resolveOrder,
    enclave,
  );
  await tellProgress(enclave);
  await sendRunnerNews(enclave);
  await makeComparisons(enclave);
  await flushOutgoing(enclave);
  if (feed !== null) throw feed.error;
}

async function takeFeed(said: { number: number }, enclave: Enclave): Promise<void> {
  while ((await takeNextMessage(enclave)) === 'taken');
  await clearInbox(said, enclave);
}

/**
 * Grades until the signal aborts: at every ring of the bell, and otherwise once in `everyMs`, because nothing rings when
 * a file appears or a lease ends.
 */
export async function gradeForever(
  input: { readonly everyMs: number; readonly sweepEveryMs: number },
  signal: AbortSignal,
  enclave: Enclave,
): Promise<void> {
  const said = { number: 0 };
  let sweptAt = 0;
  while (!signal.aborted) {
    try {
      await gradeOnce(said, enclave);
      if (enclave.now().getTime() - sweptAt >= input.sweepEveryMs) {
        sweptAt = enclave.now().getTime();
        await sweepFiles(enclave);
      }
    } catch (error) {
      enclave.log('error', 'grade.failed', errorFields(error));
    }
    await enclave.bell.wait(input.everyMs, signal);
  }
}

async function closeLost(enclave: Enclave): Promise<void> {
  for (const { id, order } of await closeLostReplays(enclave.now(), enclave.db)) {
    await freeTrials([id], enclave.db);
    enclave.log('warn', 'replay.lost', { replay: id, order });
    enclave.bell.ring();
  }
}

async function failOverdue(order: { readonly id: string }, enclave: Enclave): Promise<void> {
  await failOrder(
    {
      order: order.id,
      result: { kind: 'failed', fault: 'ours', cause: 'deadline' },
      detail: 'the deadline passed',
    },
    enclave,
  );
}

async function eachOrder<Order extends { readonly id: string }>(
  orders: readonly Order[],
  step: string,
  work: (order: Order, enclave: Enclave) => Promise<void>,
  enclave: Enclave,
): Promise<void> {
  for (const order of orders) {
    try {
      await work(order, enclave);
    } catch (error) {
      enclave.log('error', 'order.stepFailed', { order: order.id, step, ...errorFields(error) });
    }
  }
}
