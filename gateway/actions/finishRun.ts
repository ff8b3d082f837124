import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { endRun, lockRun } from '@vtb/db/public/runs.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Run } from '@vtb/protocol/wire/entries.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';
import type { Person } from '../identity/caller.ts';
import { runStanding, runView } from '../quota/runStanding.ts';

/** Ends a run without a final. The second time changes nothing; a run that a final ended is refused. */
export async function finishRun(
  input: { readonly caller: Person; readonly run: string; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<Run> {
  const { caller, at } = input;
  const context = await lockRun(input.run, tx);
  if (context === undefined) throw notFound();
  const { run, entry } = context;
  if (run.endReason === 'final') throw new Refusal('run.ended', 'a final commit has ended this run');
  const ended = { ...run, endedAt: run.endedAt ?? at, endReason: 'finished' as const };
  if (await endRun({ run: run.id, at, reason: 'finished' }, tx)) {
    await writeAudit({ at, actor: caller.account, act: 'run.finished', subject: run.id, reason: null }, tx);
  }
  return runView({ run: ended, entry }, await runStanding({ run: ended, entry, at }, deps, tx));
}
