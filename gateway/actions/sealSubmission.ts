import type { Db } from '@vtb/db/public/connect.ts';
import { lockedState, moveSubmission } from '@vtb/db/public/submissionState.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import { missingChunks } from '@vtb/db/public/teamChunks.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';

/** As many missing digests as a refusal lists. */
const listedMax = 100;

/**
 * Says that all bytes are there, and sends the submission to inspection. Once it is past uploading, sealing again changes
 * nothing.
 *
 * throws  Refusal upload.incomplete with what is missing, upload.graceEnded, or state.conflict for what was given up.
 */
export async function sealSubmission(
  input: { readonly submission: string; readonly actor: string; readonly at: Date },
  _deps: Pick<Deps, 'now'>,
  tx: Db,
): Promise<void> {
  const { submission, actor, at } = input;
  const state = await lockedState(submission, tx);
  const context = await findSubmission(submission, tx);
  if (state === undefined || context === undefined) throw notFound();
  if (state === 'lapsed')
    throw new Refusal(
      'upload.graceEnded',
      `the bytes could come until ${context.submission.uploadUntil.toISOString()}`,
    );
  if (state !== 'committed' && state !== 'uploading' && state !== 'withdrawn') return;
  if (at >= context.submission.uploadUntil)
    throw new Refusal(
      'upload.graceEnded',
      `the bytes could come until ${context.submission.uploadUntil.toISOString()}`,
    );
  const missing = await missingChunks({ submission, team: context.entry.team, limit: listedMax }, tx);
  if (missing.count > 0) {
    const problems = missing.digests.map((sha256) => ({
      code: 'chunk.missing',
      at: sha256,
      message: 'has not come from this team',
      fix: 'PUT it, then seal again.',
    }));
    throw new Refusal(
      'upload.incomplete',
      `${missing.count} chunk(s) are missing${missing.count > listedMax ? `, the first ${listedMax} are listed` : ''}`,
      problems,
    );
  }
  await moveSubmission({ submission, event: 'sealed', at, actor, reason: null }, tx);
}
