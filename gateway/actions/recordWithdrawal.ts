import { writeAudit } from '@vtb/db/public/audit.ts';
import { bumpBoard } from '@vtb/db/public/boardVersion.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { appendLeaf, lockLog, logSize } from '@vtb/db/public/log.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';

/**
 * Puts the withdrawal of a final into the season's public log; called once, in the transaction that withdraws it.
 *
 * Before the log is open nothing can have been ordered, so there is nothing to take back in public.
 */
export async function recordWithdrawal(
  input: { readonly submission: string; readonly actor: string; readonly at: Date },
  tx: Db,
): Promise<void> {
  const { submission: subject, actor, at } = input;
  const context = await lockGradingContext(subject, tx);
  if (context === undefined || context.submission.purpose !== 'final') return;
  const { season } = context.entry;
  await lockLog(season, tx);
  if ((await logSize(season, tx)) === 0) return;
  const leaf = await appendLeaf(
    {
      leaf: leafSchema.parse({
        kind: 'withdrawal',
        season,
        track: context.run.track,
        submission: subject,
        at: at.toISOString(),
      }),
      at,
    },
    tx,
  );
  await bumpBoard(season, at, tx);
  await writeAudit({ at, actor, act: 'log.withdrawal', subject, reason: null, detail: { leaf } }, tx);
}
