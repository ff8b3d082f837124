import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { claimNotice, keepRunners } from '@vtb/db/public/notices.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { type Notice, noticeSchema } from '@vtb/protocol/messages/notice.ts';
import { unseal } from '@vtb/protocol/messages/sealing.ts';
import type { Deps } from '../deps.ts';
import type { Accepted } from './acceptReport.ts';
import { noteCosignature } from './noteCosignature.ts';
import { noteProgress } from './noteProgress.ts';
import { noteSplits } from './noteSplits.ts';

/**
 * Accepts what the enclave says about itself. The same notice again changes nothing.
 *
 * throws  Refusal('message.invalid') when it isn't signed by a pinned key or says what can't be, and
 *         Refusal('message.conflict') when its id came with another text before.
 */
export async function acceptNotice(
  input: { readonly notice: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<Accepted> {
  const { at } = input;
  const { payload: notice } = await unseal('notice', input.notice, noticeSchema, deps.keys.grader, 1_000_000);
  const claim = await claimNotice(
    { id: notice.id, kind: notice.kind, digest: sha256Hex(input.notice), at },
    tx,
  );
  if (claim === 'again') return { accepted: true, again: true };
  if (claim === 'other')
    throw new Refusal('message.conflict', `notice ${notice.id} came with another text before`);
  await act(notice, at, deps, tx);
  return { accepted: true, again: false };
}

async function act(notice: Notice, at: Date, deps: Deps, tx: Db): Promise<void> {
  switch (notice.kind) {
    case 'splits':
      return noteSplits({ notice, at }, deps, tx);
    case 'progress':
      return noteProgress({ notice, at }, deps, tx);
    case 'cosignature':
      return noteCosignature({ notice, at }, deps, tx);
    case 'runners': {
      await keepRunners(notice.runners, at, tx);
      const detail = { runners: notice.runners.length };
      return writeAudit(
        { at, actor: 'grader', act: 'runners.seen', subject: notice.id, reason: null, detail },
        tx,
      );
    }
  }
}
