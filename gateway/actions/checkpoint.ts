import { writeAudit } from '@vtb/db/public/audit.ts';
import { askComparisons } from '@vtb/db/public/comparisons.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { appendFeed } from '@vtb/db/public/feed.ts';
import { addHead, lastHead, leafHashes, leavesFrom, lockLog } from '@vtb/db/public/log.ts';
import { askedLists, rankedGradings } from '@vtb/db/public/read/rankedGradings.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { checkpointSchema, treeHeadSchema } from '@vtb/protocol/messages/checkpoint.ts';
import { audiences } from '@vtb/protocol/messages/common.ts';
import { treeRoot } from '@vtb/protocol/messages/merkle.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import type { Deps } from '../deps.ts';

/** The most that one checkpoint message carries; the rest goes with the next. */
const leavesMax = 1_000;

/**
 * Tells the grader what is new in a season's log: a signed tree head over it, the new leaves, and what is ranked now.
 *
 * One checkpoint is out at a time: while the grader has not signed the last, new leaves gather for the next.
 * returns  the size it covers, or null when there was nothing to tell or the last one is still out.
 */
export async function checkpoint(
  input: { readonly season: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<number | null> {
  const { season, at } = input;
  await lockLog(season, tx);
  const last = await lastHead(season, tx);
  if (last !== undefined && last.grader === null) return null;
  const oldSize = last?.size ?? 0;
  const leaves = await leavesFrom({ season, from: oldSize, limit: leavesMax }, tx);
  if (leaves.length === 0) return null;
  const size = oldSize + leaves.length;
  const root = treeRoot(await leafHashes(season, size, tx));
  const [record] = await leavesFrom({ season, from: 0, limit: 1 }, tx);
  if (record === undefined) throw new Error(`the log of ${season} has leaves but no first one`);
  const log = sha256Hex(record.text);
  const headPayload = treeHeadSchema.parse({ v: 1, aud: audiences.public, log, size, root });
  const head = await seal('treeHead', headPayload, deps.keys.signing);
  await addHead({ season, size, root, gateway: head, at }, tx);
  const asked = await rankedGradings({ season, asOf: at }, tx);
  await askComparisons(askedLists(season, asked), size, tx);
  const message = await appendFeed(
    {
      kind: 'checkpoint',
      order: null,
      at,
      sign: (place) => {
        const texts = leaves.map(({ text }) => text);
        const payload = {
          v: 1,
          aud: audiences.grader,
          ...place,
          season,
          oldSize,
          leaves: texts,
          head,
          ...asked,
        };
        const checked = checkpointSchema.parse({ ...payload, at: at.toISOString() });
        return seal('checkpoint', checked, deps.keys.signing);
      },
    },
    tx,
  );
  const detail = { size, root, feed: message.number };
  await writeAudit(
    { at, actor: 'gateway', act: 'log.checkpoint', subject: season, reason: null, detail },
    tx,
  );
  return size;
}
