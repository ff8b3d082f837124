import type { Vault } from '@vtb/db/vault/connect.ts';
import { addOutgoing } from '@vtb/db/vault/outgoing.ts';
import { takeRunnerNews } from '@vtb/db/vault/runners.ts';
import { activeSplits } from '@vtb/db/vault/splits.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { audiences } from '@vtb/protocol/messages/common.ts';
import { type Notice, noticeSchema, splitHeldSchema } from '@vtb/protocol/messages/notice.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import type { Enclave } from './enclave.ts';

type Envelope = 'v' | 'aud' | 'id' | 'at';
type Body<T> = T extends unknown ? Omit<T, Envelope> : never;

/** Signs a notice and lets it leave with the caller's transaction. */
export async function sendNotice(body: Body<Notice>, tx: Vault, enclave: Enclave): Promise<void> {
  const now = enclave.now();
  const id = enclave.newId('notice');
  const notice = noticeSchema.parse({ ...body, v: 1, aud: audiences.gateway, id, at: now.toISOString() });
  const message = await seal('notice', notice, enclave.signingKey);
  await addOutgoing(
    {
      id,
      kind: 'notice',
      reportOf: null,
      message,
      digest: sha256Hex(message),
      maintainers: null,
      attachments: [],
      madeAt: now,
    },
    tx,
  );
}

/** Tells the gateway which splits the vault holds: at every start, because a new gateway may be listening. */
export async function sendSplits(enclave: Enclave): Promise<void> {
  const rows = await activeSplits(enclave.db);
  const splits = rows.map(({ season, track, purpose, digest, tasks, secrecy, commitment }) =>
    splitHeldSchema.parse({ season, track, purpose, split: digest, tasks, secrecy, commitment }),
  );
  await sendNotice({ kind: 'splits', splits }, enclave.db, enclave);
  enclave.log('info', 'notice.splits', { splits: splits.length });
}

/** Tells the gateway what runners can do, when that changed. */
export async function sendRunnerNews(enclave: Enclave): Promise<void> {
  await enclave.db.transaction(async (tx) => {
    const runners = await takeRunnerNews(tx);
    if (runners.length > 0) await sendNotice({ kind: 'runners', runners }, tx, enclave);
  });
}
