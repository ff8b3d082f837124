import type { Db } from '@vtb/db/public/connect.ts';
import { lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { failuresInRow, failuresMax } from '../airlock/retryBudget.ts';
import type { Deps } from '../deps.ts';
import { orderGrading } from './orderGrading.ts';

/**
 * Orders a grading for a queued submission that has none open: it waited for its split, or a gateway died between two
 * steps. returns whether it was ordered; false the second time, and when a maintainer has to look first.
 */
export async function orderWaiting(
  input: { readonly submission: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<boolean> {
  const { submission, at } = input;
  const context = await lockGradingContext(submission, tx);
  if (context?.submission.state !== 'queued' || !deps.seasons.has(context.entry.season)) return false;
  const gradings = await gradingsOf(submission, tx);
  const last = gradings.at(-1);
  const settled = last === undefined || last.state === 'failed' || last.state === 'cancelled';
  if (!settled || failuresInRow(gradings) >= failuresMax) return false;
  const cause = last === undefined ? 'first' : 'retry';
  const ordered = await orderGrading({ submission, cause, reason: null, actor: 'gateway', at }, deps, tx);
  return ordered.kind === 'ordered';
}
