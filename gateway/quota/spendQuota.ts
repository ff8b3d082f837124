import { bumpBoard } from '@vtb/db/public/boardVersion.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { addLedgerLine } from '@vtb/db/public/ledger.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import type { Deps } from '../deps.ts';

/** Spends what a submission has reserved; the second time changes nothing. */
export async function spendQuota(
  input: { readonly submission: string; readonly account: 'finals' | 'validations'; readonly reason: string },
  deps: Pick<Deps, 'now'>,
  tx: Db,
): Promise<void> {
  const { submission, account, reason } = input;
  const found = await findSubmission(submission, tx);
  if (found === undefined) throw new Error(`no submission ${submission} to spend for`);
  const at = deps.now();
  const line = {
    team: found.entry.team,
    run: found.run.id,
    submission,
    account,
    act: 'spend',
    reason,
    at,
  } as const;
  // The board shows how many finals a team has used.
  if ((await addLedgerLine(line, tx)) && account === 'finals') await bumpBoard(found.entry.season, at, tx);
}
