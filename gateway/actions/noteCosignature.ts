import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { findHead, keepCosignature } from '@vtb/db/public/log.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { treeHeadSchema } from '@vtb/protocol/messages/checkpoint.ts';
import type { Notice } from '@vtb/protocol/messages/notice.ts';
import { publicHalf, unseal } from '@vtb/protocol/messages/sealing.ts';
import type { Deps } from '../deps.ts';

/**
 * The grader's signature over one of our tree heads. Only a signature over exactly the tree that we signed is kept: log,
 * size and root.
 */
export async function noteCosignature(
  input: { readonly notice: Extract<Notice, { kind: 'cosignature' }>; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { notice, at } = input;
  const { season, size } = notice;
  const row = await findHead(season, size, tx);
  if (row === undefined)
    throw new Refusal('message.invalid', `no tree head of size ${size} was signed for ${season}`);
  const theirs = await unseal('treeHead', notice.head, treeHeadSchema, deps.keys.grader, 4096);
  const { signing } = deps.keys;
  const ours = await unseal(
    'treeHead',
    row.gateway,
    treeHeadSchema,
    { [signing.kid]: publicHalf(signing) },
    4096,
  );
  const same = (['log', 'size', 'root'] as const).every((key) => theirs.payload[key] === ours.payload[key]);
  if (!same) throw new Refusal('message.invalid', `the grader signed another tree than ours of size ${size}`);
  if (!(await keepCosignature({ season, size, head: notice.head }, tx))) return;
  const detail = { size, root: row.root, kid: theirs.kid };
  await writeAudit({ at, actor: 'grader', act: 'log.cosigned', subject: season, reason: null, detail }, tx);
}
