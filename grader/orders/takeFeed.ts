import { raiseAlarm } from '@vtb/db/vault/alarms.ts';
import type { Vault } from '@vtb/db/vault/connect.ts';
import { feedCursor, feedDigest, lockFeed, noteFeedMessage } from '@vtb/db/vault/feed.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { type Checkpoint, checkpointSchema } from '@vtb/protocol/messages/checkpoint.ts';
import { type Cancel, cancelSchema, type Order, orderSchema } from '@vtb/protocol/messages/order.ts';
import { messageTypes, unseal } from '@vtb/protocol/messages/sealing.ts';
import { decodeProtectedHeader } from 'jose';
import type { Enclave } from '../enclave.ts';
import {
  dropMessage,
  feedId,
  feedNumber,
  hasMessage,
  listMessages,
  moveMessage,
  readMessage,
} from '../spool.ts';
import { cancelOrder } from './cancelOrder.ts';
import { takeCheckpoint } from './takeCheckpoint.ts';
import { takeOrder } from './takeOrder.ts';

/** A message of the feed, opened: signed by the gateway, of a known kind. */
export type FeedMessage =
  | { readonly kind: 'order'; readonly payload: Order; readonly digest: string }
  | { readonly kind: 'cancel'; readonly payload: Cancel; readonly digest: string }
  | { readonly kind: 'checkpoint'; readonly payload: Checkpoint; readonly digest: string };

/**
 * Takes in the next message of the feed, if it is there: claimed by rename, opened, and worked with its number and
 * digest noted in one transaction, so that a kill at any point loses and doubles nothing.
 *
 * returns  'none' when the next number is not there yet; 'refused' when what lies there under that number does not hold:
 *          it is put aside, and the feed stands still until the right one comes.
 */
export async function takeNextMessage(enclave: Enclave): Promise<'taken' | 'none' | 'refused'> {
  const { spool, db, log } = enclave;
  const cursor = await feedCursor(db);
  const id = feedId(cursor.number + 1);
  if (!(await hasMessage('claimed', id, spool)) && !(await moveMessage('inbox', 'claimed', id, spool)))
    return 'none';
  try {
    const message = await openMessage(await readMessage('claimed', id, 'message.jws', spool), enclave);
    const { number, previous } = message.payload;
    if (number !== cursor.number + 1)
      throw new Refusal('message.invalid', `says number ${number} in the place of ${cursor.number + 1}`);
    if (previous !== cursor.digest)
      throw new Refusal(
        'message.invalid',
        `does not follow the message that was taken in as number ${cursor.number}`,
      );
    await db.transaction(async (tx) => {
      await lockFeed(tx);
      if ((await feedCursor(tx)).number !== cursor.number) return;
      await noteFeedMessage({ number, digest: message.digest, kind: message.kind, at: enclave.now() }, tx);
      await work(message, tx, enclave);
    });
    log('info', 'feed.taken', { number, kind: message.kind });
    // The newest stays in `claimed`: by it the courier knows where to go on.
    if (cursor.number > 0) await dropMessage('claimed', feedId(cursor.number), spool);
    return 'taken';
  } catch (error) {
    // A bug of ours says nothing about the message: it stays claimed, and is tried again.
    if (!(error instanceof Refusal)) throw error;
    await dropMessage('refused', id, spool);
    await moveMessage('claimed', 'refused', id, spool);
    log('error', 'feed.refused', { message: id, why: error.message });
    await raiseAlarm(
      { at: enclave.now(), code: 'feed.refused', subject: id, detail: error.message.slice(0, 500) },
      db,
    );
    return 'refused';
  }
}

/**
 * Clears the inbox of what is not next: a message that was taken in before is dropped when it is the same one and refused
 * when it is not. Later numbers wait; that one is missing before them is said loudly, once.
 */
export async function clearInbox(saidGap: { number: number }, enclave: Enclave): Promise<void> {
  const { spool, db, log } = enclave;
  const cursor = await feedCursor(db);
  for (const id of await listMessages('inbox', spool)) {
    const number = feedNumber(id);
    if (number === undefined) continue;
    if (number <= cursor.number) await dropRepeated(id, number, enclave);
    if (
      number > cursor.number + 1 &&
      !(await hasMessage('inbox', feedId(cursor.number + 1), spool)) &&
      saidGap.number !== cursor.number + 1
    ) {
      saidGap.number = cursor.number + 1;
      log('error', 'feed.gap', { missing: cursor.number + 1, there: number });
      await raiseAlarm(
        {
          at: enclave.now(),
          code: 'feed.gap',
          subject: feedId(cursor.number + 1),
          detail: `number ${number} is there`,
        },
        db,
      );
    }
  }
}

async function dropRepeated(id: string, number: number, enclave: Enclave): Promise<void> {
  const { spool, db, log } = enclave;
  const taken = await feedDigest(number, db);
  const here = await readMessage('inbox', id, 'message.jws', spool).then(sha256Hex, () => 'unreadable');
  if (here === taken) return dropMessage('inbox', id, spool);
  log('error', 'feed.contradicted', { message: id });
  await raiseAlarm(
    {
      at: enclave.now(),
      code: 'feed.contradicted',
      subject: id,
      detail: 'another message under a number that was taken in',
    },
    db,
  );
  await dropMessage('refused', id, spool);
  await moveMessage('inbox', 'refused', id, spool);
}

async function openMessage(jws: string, enclave: Enclave): Promise<FeedMessage> {
  const digest = sha256Hex(jws);
  const keys = enclave.gatewayKeys;
  switch (typOf(jws)) {
    case messageTypes.order:
      return { kind: 'order', digest, payload: (await unseal('order', jws, orderSchema, keys)).payload };
    case messageTypes.cancel:
      return { kind: 'cancel', digest, payload: (await unseal('cancel', jws, cancelSchema, keys)).payload };
    case messageTypes.checkpoint:
      return {
        kind: 'checkpoint',
        digest,
        payload: (await unseal('checkpoint', jws, checkpointSchema, keys)).payload,
      };
    default:
      throw new Refusal('message.invalid', 'the feed has orders, cancels and checkpoints alone');
  }
}

/** Only picks the schema; the signature covers the header and is checked with it. */
function typOf(jws: string): string | undefined {
  try {
    return decodeProtectedHeader(jws).typ;
  } catch {
    throw new Refusal('message.invalid', 'this is no compact JWS');
  }
}

async function work(message: FeedMessage, tx: Vault, enclave: Enclave): Promise<void> {
  switch (message.kind) {
    case 'order':
      return takeOrder(message.payload, message.digest, tx, enclave);
    case 'cancel':
      return cancelOrder(message.payload, tx, enclave);
    case 'checkpoint':
      return takeCheckpoint(message.payload, tx, enclave);
  }
}
