/**
 * Theory of operation. A drive is a spool of its own. On a connected machine (a gateway is configured) the same code that
 * serves a spool serves the drive: export pulls the feed onto it, import delivers what it carries out. In the enclave
 * (none configured) export lays the outbox onto the drive, and import takes its inbox; both copy with every digest
 * checked. Nothing leaves the enclave's outbox before the drive comes back saying that it was delivered, so a lost drive
 * loses nothing, and carrying one twice doubles nothing.
 */
import { Refusal } from '@vtb/protocol/errors.ts';
import { reportSchema } from '@vtb/protocol/messages/report.ts';
import { systemLimits } from '@vtb/protocol/system/limits.ts';
import { decodeJwt } from 'jose';
import type { Log } from '../log.ts';
import {
  dropMessage,
  enterMessage,
  feedNumber,
  hasMessage,
  listMessages,
  moveMessage,
  readMessage,
  type Spool,
} from '../spool.ts';
import { chunksOf, sweepChunks, takeChunk } from '../spoolChunks.ts';
import type { Courier } from './courier.ts';
import { deliverOnce } from './deliver.ts';
import { chunksInManifest, orderIn } from './orderChunks.ts';
import { lastNumber, pullOnce } from './pull.ts';

/** Connected: everything new in the feed, onto the drive (`courier.spool`). */
export async function exportFeed(signal: AbortSignal, courier: Courier): Promise<void> {
  while ((await pullOnce(0, signal, courier)) === 'brought');
}

/** Connected: everything the drive carries out, to the gateway. */
export async function importOutbox(signal: AbortSignal, courier: Courier): Promise<void> {
  while ((await deliverOnce(signal, courier)) > 0);
}

/** In the enclave: what waits in the outbox, onto the drive. It stays in the outbox until it is known as delivered. */
export async function exportOutbox(drive: Spool, spool: Spool, log: Log): Promise<void> {
  for (const id of await listMessages('outbox', spool)) {
    const carried = await Promise.all(
      (['outbox', 'sent', 'refused'] as const).map((folder) => hasMessage(folder, id, drive)),
    );
    if (carried.includes(true)) continue;
    const message = await readMessage('outbox', id, 'message.jws', spool);
    const maintainers = await readMessage('outbox', id, 'maintainers.jwe', spool).catch(() => undefined);
    for (const { sha256, size } of attachmentsIn(message))
      await takeChunk({ sha256, size, sizeMax: size, into: chunksOf(drive) }, spool);
    await enterMessage(
      'outbox',
      id,
      { 'message.jws': message, ...(maintainers === undefined ? {} : { 'maintainers.jwe': maintainers }) },
      drive,
    );
    log('info', 'message.exported', { message: id });
  }
}

/** In the enclave: what the drive says was delivered, then its inbox, in the feed's order. */
export async function importFeed(drive: Spool, spool: Spool, log: Log): Promise<void> {
  for (const folder of ['sent', 'refused'] as const) {
    for (const id of await listMessages(folder, drive)) {
      await moveMessage('outbox', folder, id, spool);
      if (folder === 'sent') await dropMessage('sent', id, drive);
    }
  }
  for (const id of await listMessages('inbox', drive)) {
    const number = feedNumber(id);
    if (number === undefined) continue;
    if (number > (await lastNumber(spool))) await carryIn(id, drive, spool, log);
    await moveMessage('inbox', 'claimed', id, drive);
  }
  // The newest stays: by it the connected side knows where to go on.
  for (const id of (await listMessages('claimed', drive)).slice(0, -1))
    await dropMessage('claimed', id, drive);
  const attached = new Set<string>();
  for (const id of await listMessages('outbox', drive)) {
    for (const { sha256 } of attachmentsIn(await readMessage('outbox', id, 'message.jws', drive)))
      attached.add(sha256);
  }
  await sweepChunks(chunksOf(drive), (sha256) => attached.has(sha256));
}

async function carryIn(id: string, drive: Spool, spool: Spool, log: Log): Promise<void> {
  const message = await readMessage('inbox', id, 'message.jws', drive);
  const order = orderIn(message);
  try {
    if (order !== undefined) await carrySystem(order.system, drive, spool);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    log('warn', 'order.chunksGone', { message: id, why: error.message });
  }
  await enterMessage('inbox', id, { 'message.jws': message }, spool);
  log('info', 'message.imported', { message: id });
}

async function carrySystem(system: string, drive: Spool, spool: Spool): Promise<void> {
  const into = chunksOf(spool);
  await takeChunk({ sha256: system, size: null, sizeMax: systemLimits.manifestBytesMax, into }, drive);
  for (const { sha256, size } of await chunksInManifest(into, system))
    await takeChunk({ sha256, size, sizeMax: size, into }, drive);
}

function attachmentsIn(message: string) {
  try {
    return reportSchema.safeParse(decodeJwt(message)).data?.attachments ?? [];
  } catch {
    return [];
  }
}
