import { lstat, readFile } from 'node:fs/promises';
import { Refusal } from '@vtb/protocol/errors.ts';
import { idPrefixes } from '@vtb/protocol/ids.ts';
import { reportSchema } from '@vtb/protocol/messages/report.ts';
import { decodeJwt } from 'jose';
import { dropMessage, listMessages, messagePath, moveMessage, readMessage, type Spool } from '../spool.ts';
import { chunkPath, chunksOf } from '../spoolChunks.ts';
import type { Courier } from './courier.ts';
import { type Answer, GatewayUnready } from './gatewayClient.ts';

/**
 * Delivers what lies in the outbox, oldest first, each until the gateway acknowledges it; then it moves to `sent`. A
 * message that the gateway will never take moves to `refused`, loudly. Delivering again after a kill is the same to the
 * gateway: it answers that it has it.
 *
 * returns  how many messages left the outbox.
 * throws   what the network or an unready gateway threw, after trying every message.
 */
export async function deliverOnce(signal: AbortSignal, courier: Courier): Promise<number> {
  let gone = 0;
  let unready: GatewayUnready | undefined;
  for (const id of await byAge(courier.spool)) {
    if (signal.aborted) break;
    try {
      const answer = await deliver(id, signal, courier);
      if (answer.kind === 'refused')
        courier.log('error', 'message.refused', { message: id, status: answer.status, code: answer.code });
      else courier.log('info', 'message.delivered', { message: id });
      await moveMessage('outbox', answer.kind === 'taken' ? 'sent' : 'refused', id, courier.spool);
      gone += 1;
    } catch (error) {
      // Another message may still get through when only this one met an unready answer.
      if (!(error instanceof GatewayUnready)) throw error;
      unready = error;
    }
  }
  if (gone > 0) await pruneSent(courier.spool);
  if (unready !== undefined) throw unready;
  return gone;
}

async function byAge(spool: Spool): Promise<string[]> {
  const aged = await Promise.all(
    (await listMessages('outbox', spool)).map(async (id) => {
      const facts = await lstat(messagePath('outbox', id, spool), { bigint: true }).catch(() => undefined);
      return { id, age: facts?.mtimeNs ?? 0n };
    }),
  );
  return aged
    .sort((a, b) => (a.age < b.age ? -1 : a.age > b.age ? 1 : a.id.localeCompare(b.id)))
    .map(({ id }) => id);
}

async function deliver(id: string, signal: AbortSignal, courier: Courier): Promise<Answer> {
  const { client, spool } = courier;
  try {
    const message = await readMessage('outbox', id, 'message.jws', spool);
    if (id.startsWith(idPrefixes.comparison)) return await client.postComparison(message, signal);
    if (!id.startsWith(idPrefixes.report)) return await client.postNotice(message, signal);
    const maintainers = await readMessage('outbox', id, 'maintainers.jwe', spool);
    const answer = await client.postReport({ report: message, maintainers }, signal);
    if (answer.kind === 'taken') await deliverAttachments(message, signal, courier);
    return answer;
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', status: 0, code: error.code };
    throw error;
  }
}

async function deliverAttachments(message: string, signal: AbortSignal, courier: Courier): Promise<void> {
  const report = reportSchema.safeParse(decodeJwt(message)).data;
  for (const { sha256 } of report?.attachments ?? []) {
    const bytes = await readFile(chunkPath(chunksOf(courier.spool), sha256)).catch(() => undefined);
    if (report === undefined || bytes === undefined) {
      courier.log('error', 'attachment.missing', { sha256 });
      continue;
    }
    const answer = await courier.client.putAttachment(report.id, sha256, bytes, signal);
    if (answer.kind === 'refused')
      courier.log('error', 'attachment.refused', { sha256, status: answer.status, code: answer.code });
  }
}

/** Delivered messages kept to look at. */
const sentMax = 1_000;

async function pruneSent(spool: Spool): Promise<void> {
  const ids = await listMessages('sent', spool);
  if (ids.length <= sentMax * 2) return;
  const aged = await Promise.all(
    ids.map(async (id) => ({ id, at: (await lstat(messagePath('sent', id, spool))).mtimeMs })),
  );
  for (const { id } of aged.sort((a, b) => a.at - b.at).slice(0, ids.length - sentMax))
    await dropMessage('sent', id, spool);
}
