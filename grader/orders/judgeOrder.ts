import type { Vault } from '@vtb/db/vault/connect.ts';
import { finalOf, finalsUsed } from '@vtb/db/vault/finals.ts';
import { latestOrderOf } from '@vtb/db/vault/orders.ts';
import { type SplitRow, splitByDigest } from '@vtb/db/vault/splits.ts';
import type { Order } from '@vtb/protocol/messages/order.ts';
import { isPreview } from '@vtb/protocol/season/finalsClosed.ts';
import { settingsDigest } from '@vtb/protocol/season/settingsDigest.ts';
import type { PromptTrack } from '@vtb/protocol/season/track.ts';
import { type Enclave, findTrackOf } from '../enclave.ts';

/**
 * What becomes of an order that is signed and in its place.
 *
 * work     it may be graded.
 * fail     it can't be: answered by a report of a failure of ours, and the gateway may order again once mended.
 * refuse   it must not be: it contradicts what this vault knows. Answered by a progress notice 'refused'.
 */
export type Judgement =
  | { readonly kind: 'work'; readonly split: SplitRow; readonly track: PromptTrack }
  | {
      readonly kind: 'fail';
      readonly cause: 'split' | 'deadline';
      readonly why: string;
      readonly split: SplitRow | undefined;
    }
  | { readonly kind: 'refuse'; readonly why: string; readonly split: SplitRow | undefined };

/** Holds an order against seasons, vault and ledger. Whether a split is hidden, and whose purpose it serves, the vault says. */
export async function judgeOrder(order: Order, tx: Vault, enclave: Enclave): Promise<Judgement> {
  const found = findTrackOf(order.season, order.track, enclave);
  if (found === undefined)
    return { kind: 'fail', cause: 'split', why: 'no such season or track here', split: undefined };
  const { loaded, track } = found;
  const split = await splitByDigest({ season: order.season, track: order.track, digest: order.split }, tx);
  const fail = (cause: 'split' | 'deadline', why: string): Judgement => ({ kind: 'fail', cause, why, split });
  if (split === undefined) return fail('split', 'the vault does not hold this split');
  if (split.purpose !== order.purpose)
    return fail('split', `the split is for ${split.purpose}, the order says ${order.purpose}`);
  if (settingsDigest(track) !== order.settings)
    return fail('split', 'the settings are not those of the track here');
  if (isPreview(loaded.season, track) || track.driver !== 'prompt')
    return fail('split', 'the track is a preview here');
  if (Date.parse(order.deadline) <= enclave.now().getTime())
    return fail('deadline', 'the deadline has passed');
  const contradiction = await contradictionOf(order, loaded.season.quotas.finalsMax, tx);
  if (contradiction !== null) return { kind: 'refuse', why: contradiction, split };
  return { kind: 'work', split, track };
}

async function contradictionOf(order: Order, finalsMax: number, tx: Vault): Promise<string | null> {
  const before = await latestOrderOf(order.submission, tx);
  if (before !== undefined) {
    const was = before.document;
    if (was.system !== order.system) return 'the submission was another system before';
    if (
      was.team !== order.team ||
      was.track !== order.track ||
      was.season !== order.season ||
      was.purpose !== order.purpose
    ) {
      return 'the submission was of another team, track or purpose before';
    }
    if (order.gradingNumber <= before.gradingNumber)
      return `grading number ${order.gradingNumber} is not above ${before.gradingNumber}`;
  }
  if (order.purpose !== 'final') return null;
  const entered = await finalOf(order.submission, tx);
  if (entered !== undefined)
    return entered.system === order.system ? null : 'the final was entered as another system';
  const used = await finalsUsed({ season: order.season, track: order.track, team: order.team }, tx);
  return used >= finalsMax ? `the team has used ${used} of ${finalsMax} finals` : null;
}
