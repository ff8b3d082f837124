import { neededChunks } from '@vtb/db/vault/orders.ts';
import { attachmentsInFlight } from '@vtb/db/vault/outgoing.ts';
import type { Enclave } from '../enclave.ts';
import { hasMessage, listMessages } from '../spool.ts';
import { chunksOf, sweepChunks } from '../spoolChunks.ts';

/** Forgets systems of ended orders, and what has lain in the spool's chunks longer than anything counts on it. */
export async function sweepFiles(enclave: Enclave): Promise<void> {
  const { db, spool, systems, limits, log } = enclave;
  const needed = await neededChunks(db);
  const gone = await sweepChunks(systems, (sha256) => needed.has(sha256));
  if (gone > 0) log('info', 'systems.forgotten', { files: gone });
  // A waiting message's chunks may be old: it came while the grader was down.
  if ((await listMessages('inbox', spool)).length > 0) return;
  const oldest = new Date(enclave.now().getTime() - limits.spoolChunkAgeMs);
  const kept = new Set<string>();
  // What has left the outbox, delivered or refused, is over, and where it went is pruned.
  for (const { id, attachments, writtenAt } of await attachmentsInFlight(db)) {
    const isInFlight = writtenAt === null || (await hasMessage('outbox', id, spool));
    if (isInFlight) for (const sha256 of attachments) kept.add(sha256);
  }
  await sweepChunks(
    chunksOf(spool),
    (sha256, { modifiedAt }) => modifiedAt > oldest || kept.has(sha256) || needed.has(sha256),
  );
}
