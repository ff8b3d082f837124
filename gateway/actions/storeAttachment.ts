import { attachmentArrived, findAttachment, gradingsDeclaring } from '@vtb/db/public/attachments.ts';
import { writeAudit } from '@vtb/db/public/audit.ts';
import { writeEvent } from '@vtb/db/public/events.ts';
import { lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { reportSchema } from '@vtb/protocol/messages/report.ts';
import { unseal } from '@vtb/protocol/messages/sealing.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';
import type { RawRequest } from '../frame/route.ts';
import type { Accepted } from './acceptReport.ts';

/**
 * Keeps the bytes of an attachment that an accepted report declared. Bytes that nothing declared are not read: a hidden
 * split declares none, so nothing of it can come in this way.
 *
 * throws  Refusal('notFound') for what no report declared, Refusal('chunk.mismatch') or ('chunk.size') for other bytes.
 */
export async function storeAttachment(
  input: { readonly report: string; readonly sha256: string; readonly raw: RawRequest; readonly at: Date },
  deps: Deps,
): Promise<Accepted> {
  const { report, sha256, raw, at } = input;
  const grading = await declaringGrading({ report, sha256 }, deps);
  const declared = grading && (await findAttachment(grading.id, sha256, deps.db));
  if (grading === undefined || declared === undefined) throw notFound();
  if (declared.arrivedAt !== null && (await deps.chunks.has(sha256))) return { accepted: true, again: true };
  await deps.chunks.put({ sha256, size: declared.size, bytes: raw.bytes(), signal: raw.signal });
  return deps.db.transaction(async (tx) => {
    const context = await lockGradingContext(grading.submission, tx);
    if (context === undefined) throw new Error(`a grading without its submission ${grading.submission}`);
    if (!(await attachmentArrived({ grading: grading.id, sha256, at }, tx)))
      return { accepted: true, again: true } as const;
    const { id, state } = context.submission;
    const detail = { sha256, size: declared.size, kind: declared.kind };
    await writeAudit(
      { at, actor: 'grader', act: 'attachment.arrived', subject: grading.id, reason: null, detail },
      tx,
    );
    await writeEvent({ submission: id, kind: 'grading', state, reason: null, progress: null, at }, tx);
    return { accepted: true, again: false } as const;
  });
}

async function declaringGrading(
  { report, sha256 }: { readonly report: string; readonly sha256: string },
  deps: Deps,
): Promise<{ readonly id: string; readonly submission: string } | undefined> {
  for (const row of await gradingsDeclaring(sha256, deps.db)) {
    if (row.report === null) continue;
    const { payload } = await unseal('report', row.report, reportSchema, deps.keys.grader, 65_536);
    if (payload.id === report) return { id: row.grading, submission: row.submission };
  }
  return undefined;
}
