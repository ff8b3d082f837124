import { raiseAlarm } from '@vtb/db/vault/alarms.ts';
import { lockOrder, moveOrder, type OrderRow } from '@vtb/db/vault/orders.ts';
import { fruitlessReplays, ordersAtWork, type ReplayRow, replaysOf } from '@vtb/db/vault/replays.ts';
import { oursFailuresMost, trialCounts, trialsOf } from '@vtb/db/vault/trials.ts';
import type { Result } from '@vtb/protocol/messages/report.ts';
import { ZodError } from 'zod';
import { type Enclave, findTrackOf, oursRetriesMax } from '../enclave.ts';
import { failOrder } from './failOrder.ts';
import { makeAttachments } from './makeAttachments.ts';
import { scoreOrder } from './scoreOrder.ts';
import { sendReport } from './sendReport.ts';

/**
 * Ends an order that runners work on, if it can end: scored when every trial is resolved and every engine is down,
 * failed when something can't be tried again. Otherwise nothing happens.
 */
export async function resolveOrder(order: OrderRow, enclave: Enclave): Promise<void> {
  const { db, limits } = enclave;
  const failure = await failureOf(order, enclave);
  if (failure !== undefined) return failOrder({ order: order.id, ...failure }, enclave);
  const counts = await trialCounts(
    { order: order.id, attemptsMax: limits.trialAttemptsMax, now: enclave.now() },
    db,
  );
  if (counts.total === 0 || counts.resolved < counts.total) return;
  if ((await ordersAtWork(enclave.now(), db)).has(order.id)) return;
  await reportScore(order, enclave);
}

type Failure = { readonly result: Extract<Result, { kind: 'failed' }>; readonly detail: string };

/** Why an order can't be finished, or undefined while it can. */
async function failureOf(order: OrderRow, enclave: Enclave): Promise<Failure | undefined> {
  const { db, limits } = enclave;
  const ours = (cause: 'engine' | 'runner', detail: string): Failure => ({
    result: { kind: 'failed', fault: 'ours', cause },
    detail,
  });
  const fruitless = await fruitlessReplays(order.id, db);
  const system = systemFailure(fruitless, await replaysOf(order.id, db));
  if (system !== undefined) return system;
  if (fruitless.length >= limits.fruitlessReplaysMax) {
    const last = fruitless.at(-1)?.finish;
    return ours(
      last?.kind === 'failed' && last.cause === 'engine' ? 'engine' : 'runner',
      `${fruitless.length} replays ended without one resolved trial`,
    );
  }
  if ((await oursFailuresMost(order.id, db)) > oursRetriesMax)
    return ours('runner', 'a trial failed again by our doing after its retry');
  const counts = await trialCounts(
    { order: order.id, attemptsMax: limits.trialAttemptsMax, now: enclave.now() },
    db,
  );
  if (counts.exhausted > 0)
    return ours('runner', `${counts.exhausted} trials were lost ${limits.trialAttemptsMax} times`);
  return undefined;
}

/** Replays of one order that end by the system's doing, also with trials resolved: fewer than a trial may be claimed. */
const systemFinishesMax = 3;

/**
 * Weights that don't fit their base fail at once; weights that can't be loaded get one retry, because a host may be short
 * of memory. Weights that serve a few trials and then break every replay fail too, before their trials run out of
 * claims: that would look like our doing.
 */
function systemFailure(fruitless: readonly ReplayRow[], all: readonly ReplayRow[]): Failure | undefined {
  const causes = (replays: readonly ReplayRow[]) =>
    replays.flatMap(({ finish }) =>
      finish?.kind === 'failed' && finish.fault === 'system' ? [finish.cause] : [],
    );
  const finishes = causes(all);
  const cause = finishes.includes('weightsMismatch')
    ? 'weightsMismatch'
    : causes(fruitless).length > 1 || finishes.length >= systemFinishesMax
      ? 'weightsUnloadable'
      : undefined;
  return cause === undefined
    ? undefined
    : {
        result: { kind: 'failed', fault: 'system', cause },
        detail: `${finishes.length} replays could not serve the weights`,
      };
}

/**
 * Reports an order's score. A report that doesn't fit its schema or its bounds never will: then the order fails by our
 * doing at once, with an alarm, instead of being tried for ever. What may pass (disk, database) is thrown.
 */
async function reportScore(order: OrderRow, enclave: Enclave): Promise<void> {
  try {
    await makeReport(order, enclave);
  } catch (error) {
    if (!(error instanceof ZodError || error instanceof RangeError)) throw error;
    const detail = `the report can't be made: ${error instanceof ZodError ? placesOf(error) : error.message}`;
    enclave.log('error', 'report.impossible', { order: order.id, why: detail });
    await raiseAlarm({ at: enclave.now(), code: 'report.impossible', subject: order.id, detail }, enclave.db);
    await failOrder(
      { order: order.id, result: { kind: 'failed', fault: 'ours', cause: 'internal' }, detail },
      enclave,
    );
  }
}

/** Where a value didn't fit, without the value. */
function placesOf(error: ZodError): string {
  return error.issues
    .map(({ code, path }) => `${code} at /${path.join('/')}`)
    .join(', ')
    .slice(0, 400);
}

async function makeReport(order: OrderRow, enclave: Enclave): Promise<void> {
  const { db } = enclave;
  const found = findTrackOf(order.document.season, order.document.track, enclave);
  if (found === undefined) throw new Error(`order ${order.id} is about a track that is not here any more`);
  const [trials, replays] = [await trialsOf(order.id, db), await replaysOf(order.id, db)];
  const scored = scoreOrder({
    track: found.track,
    hidden: order.hidden,
    trialsPerTask: order.trialsPerTask,
    trials,
    replays,
  });
  if (scored.kind === 'unscored')
    return failOrder(
      { order: order.id, result: { kind: 'failed', fault: 'ours', cause: scored.cause }, detail: scored.why },
      enclave,
    );
  // Their bytes lie in the spool before the report that names them can leave.
  const attachments = order.hidden ? [] : await makeAttachments(order, trials, enclave);
  await db.transaction(async (tx) => {
    const now = enclave.now();
    if ((await lockOrder(order.id, tx)) === undefined) return;
    if ((await moveOrder({ order: order.id, event: 'allTrialsResolved', now }, tx)) === undefined) return;
    const row = await moveOrder({ order: order.id, event: 'reported', now, result: scored.result }, tx);
    if (row !== undefined)
      await sendReport(
        { order: row, result: scored.result, attachments, maintainers: scored.maintainers },
        tx,
        enclave,
      );
  });
}
