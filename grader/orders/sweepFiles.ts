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
  for (const { id, attachments } of await attachmentsInFlight(db)) {
    if (!(await hasMessage('sent', id, spool))) for (const sha256 of attachments) kept.add(sha256);
  }
  await sweepChunks(
    chunksOf(spool),
    (sha256, { modifiedAt }) => modifiedAt > oldest || kept.has(sha256) || needed.has(sha256),
  );
}
