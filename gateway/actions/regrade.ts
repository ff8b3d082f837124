import type { Db } from '@vtb/db/public/connect.ts';
import { lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';
import { type Ordered, orderGrading } from './orderGrading.ts';

/**
 * A maintainer has a submission graded once more. The new grading appends; the shown one stays until the new result is
 * published, and stays addressable after that.
 *
 * throws  Refusal('grading.open') while a grading is unanswered or unpublished, Refusal('state.conflict') for a
 *         submission that is not graded, published, or queued.
 */
export async function regrade(
  input: { readonly submission: string; readonly reason: string; readonly actor: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<Extract<Ordered, { kind: 'ordered' }>> {
  const { submission, reason, actor, at } = input;
  const context = await lockGradingContext(submission, tx);
  if (context === undefined) throw notFound();
  const { state, purpose } = context.submission;
  const unreleased = (await gradingsOf(submission, tx)).find(
    (grading) => grading.state === 'reported' && purpose === 'final' && grading.publishedAt === null,
  );
  if (unreleased !== undefined || state === 'grading')
    throw new Refusal('grading.open', `a grading of ${submission} is still open; wait until it is published`);
  if (state !== 'graded' && state !== 'published' && state !== 'queued')
    throw new Refusal(
      'state.conflict',
      `${submission} is ${state}; only graded, published or queued ones are graded again`,
    );
  const ordered = await orderGrading({ submission, cause: 'regrade', reason, actor, at }, deps, tx);
  if (ordered.kind === 'waiting')
    throw new Refusal('state.conflict', 'the grader does not hold this track’s tasks; nothing was ordered');
  return ordered;
}
