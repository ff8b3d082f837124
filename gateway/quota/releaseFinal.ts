import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { addLedgerLine } from '@vtb/db/public/ledger.ts';
import { type RunContext, reopenRun } from '@vtb/db/public/runs.ts';
import type { Deps } from '../deps.ts';
import { runStanding } from './runStanding.ts';

/**
 * Gives back the final that a submission had reserved. Within the budget its run reopens, and a failed try is counted;
 * past it the run stays ended. The caller holds the run's lock. The second time changes nothing.
 */
export async function releaseFinal(
  input: RunContext & { readonly submission: string; readonly reason: string; readonly at: Date },
  deps: Pick<Deps, 'seasons'>,
  tx: Db,
): Promise<void> {
  const { run, entry, submission, reason, at } = input;
  const line = { team: entry.team, run: run.id, submission, reason, at } as const;
  if (!(await addLedgerLine({ ...line, account: 'finals', act: 'release' }, tx))) return;
  // As of now and running: the clock of an ended run stands still.
  const { clock } = await runStanding({ run: { ...run, endedAt: null }, entry, at }, deps, tx);
  if (at >= clock.deadline || !(await reopenRun(run.id, tx))) return;
  await addLedgerLine({ ...line, account: 'failedTries', act: 'spend' }, tx);
  await writeAudit(
    { at, actor: 'gateway', act: 'run.reopened', subject: run.id, reason, detail: { submission } },
    tx,
  );
}
