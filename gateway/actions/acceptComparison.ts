import { writeAudit } from '@vtb/db/public/audit.ts';
import { bumpBoard } from '@vtb/db/public/boardVersion.ts';
import { type ComparisonRow, keepComparison, lockComparison } from '@vtb/db/public/comparisons.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { appendLeaf, findHead, lockLog } from '@vtb/db/public/log.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import {
  type Comparison,
  comparedListDigest,
  comparisonBytesMax,
  comparisonSchema,
} from '@vtb/protocol/messages/comparison.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { unseal } from '@vtb/protocol/messages/sealing.ts';
import type { Deps } from '../deps.ts';
import type { Accepted } from './acceptReport.ts';

/**
 * Accepts the comparison that answers a list of ranked rows which a checkpoint asked for: row, leaf, board version and
 * audit in one transaction. The same one again changes nothing.
 *
 * Its leaf makes one more checkpoint, and there it ends: that checkpoint ranks the same rows, and a list is compared once.
 * throws  Refusal('message.invalid') when it isn't signed by a pinned key or answers no list of ours, row for row, and
 *         Refusal('message.conflict') when another answer to that list was accepted before.
 */
export async function acceptComparison(
  input: { readonly comparison: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<Accepted> {
  const { comparison: jws, at } = input;
  const { payload } = await unseal('comparison', jws, comparisonSchema, deps.keys.grader, comparisonBytesMax);
  const { season, track, split, verdicts } = payload;
  await lockLog(season, tx);
  const asked = await lockComparison(comparedListDigest(payload), tx);
  await refuseMismatch(payload, asked, tx);
  if (asked === undefined) throw new Error('a list that nobody asked for is refused');
  const digest = sha256Hex(jws);
  if (asked.digest !== null) {
    if (asked.digest === digest) return { accepted: true, again: true };
    throw new Refusal('message.conflict', 'another comparison of these rows was accepted before');
  }
  const fields = { kind: 'comparison', season, track, split, comparison: digest, at: at.toISOString() };
  const leaf = await appendLeaf({ leaf: leafSchema.parse(fields), at }, tx);
  if (
    !(await keepComparison(
      asked.list,
      { logSize: payload.logSize, comparison: jws, digest, verdicts, leaf, at },
      tx,
    ))
  )
    throw new Error(`the list ${asked.list} was answered while it is locked`);
  await bumpBoard(season, at, tx);
  const detail = { season, track, rows: payload.systems.length, logSize: payload.logSize, leaf };
  await writeAudit(
    { at, actor: 'grader', act: 'comparison.accepted', subject: digest, reason: null, detail },
    tx,
  );
  return { accepted: true, again: false };
}

async function refuseMismatch(
  comparison: Comparison,
  asked: ComparisonRow | undefined,
  tx: Db,
): Promise<void> {
  const { season, split, logSize, systems, verdicts } = comparison;
  if (asked === undefined)
    throw new Refusal('message.invalid', `no checkpoint of ${season} asked for exactly these rows`);
  if (asked.split !== split)
    throw new Refusal('message.invalid', 'the comparison names another split than the checkpoint');
  if (logSize < asked.firstSize || logSize > asked.lastSize || !(await findHead(season, logSize, tx)))
    throw new Refusal('message.invalid', `no checkpoint of size ${logSize} asked for these rows`);
  const pairs = (systems.length * (systems.length - 1)) / 2;
  if (verdicts.length !== pairs)
    throw new Refusal(
      'message.invalid',
      `${systems.length} rows have ${pairs} pairs, the comparison has ${verdicts.length} verdicts`,
    );
}
