import { gradingContext } from '@vtb/db/public/gradingContext.ts';
import { findGrading } from '@vtb/db/public/gradings.ts';
import { cosignedOver, findLeaf, leafHashes, newestSplitsLeaf } from '@vtb/db/public/log.ts';
import { sha256Schema } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { inclusionProof } from '@vtb/protocol/messages/merkle.ts';
import type { Receipt } from '@vtb/protocol/messages/receipt.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { notFound } from '../frame/access.ts';
import type { Action } from '../frame/route.ts';

/**
 * GET /receipts/:id, by the grading's id: the proof of a published result. It is made of the first tree that both sides signed with the
 * publication in it, so it is the same file for ever.
 *
 * throws  Refusal('notFound') for what is not published; Refusal('receipt.pending') until the grader has signed the log.
 */
export const getReceipt: Action<null, Receipt> = async (call, _deps, tx) => {
  const grading = await findGrading(call.params.id ?? '', tx);
  if (
    grading === undefined ||
    grading.leaf === null ||
    grading.publishedAt === null ||
    grading.report === null
  )
    throw notFound();
  const context = await gradingContext(grading.submission, tx);
  if (context === undefined) throw new Error(`a grading without its submission ${grading.submission}`);
  const { season } = context.entry;
  const head = await cosignedOver(season, grading.leaf, tx);
  if (head === undefined || head.grader === null)
    throw new Refusal(
      'receipt.pending',
      'the result is published; its receipt follows when the grader has signed the log that holds it, as a rule within a minute',
    );
  const [record, publication] = [await findLeaf(season, 0, tx), await findLeaf(season, grading.leaf, tx)];
  if (record === undefined || publication === undefined) throw new Error(`the log of ${season} lacks a leaf`);
  const hashes = await leafHashes(season, head.size, tx);
  const proofOf = (index: number) => inclusionProof(hashes, index).map((hash) => sha256Schema.parse(hash));
  const splits = pins(record.text, grading.split)
    ? undefined
    : await newestSplitsLeaf({ season, split: grading.split, before: grading.leaf }, tx);
  return {
    schema: 'vtb-receipt/1',
    report: grading.report,
    publication: { leaf: publication.text, index: grading.leaf, proof: proofOf(grading.leaf) },
    record: { leaf: record.text, proof: proofOf(0) },
    splits:
      splits === undefined ? null : { leaf: splits.text, index: splits.index, proof: proofOf(splits.index) },
    heads: { gateway: head.gateway, grader: head.grader },
  };
};

function pins(recordText: string, split: string): boolean {
  const record = leafSchema.parse(JSON.parse(recordText));
  return record.kind === 'season' && record.splits.some((pin) => pin.split === split);
}
