import { markWritten, unwritten } from '@vtb/db/vault/outgoing.ts';
import type { Enclave } from '../enclave.ts';
import { enterMessage, hasMessage } from '../spool.ts';

/**
 * Writes messages that are fixed in the vault into the outbox, oldest first. Killed between writing and marking, the next
 * call finds the message in the outbox or already sent, and only marks it: each leaves once.
 */
export async function flushOutgoing(enclave: Enclave): Promise<void> {
  const { db, spool } = enclave;
  for (;;) {
    const rows = await unwritten(100, db);
    if (rows.length === 0) return;
    for (const { id, message, maintainers } of rows) {
      const gone = (await hasMessage('sent', id, spool)) || (await hasMessage('refused', id, spool));
      const files = {
        'message.jws': message,
        ...(maintainers === null ? {} : { 'maintainers.jwe': maintainers }),
      };
      if (!gone) await enterMessage('outbox', id, files, spool);
      await markWritten({ id, now: enclave.now() }, db);
    }
  }
}
