import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { appendLeaf, lockLog, logSize } from '@vtb/db/public/log.ts';
import { currentSplits, keepSplits, type SplitRow } from '@vtb/db/public/splits.ts';
import { type Problem, Refusal } from '@vtb/protocol/errors.ts';
import type { Notice, SplitHeld } from '@vtb/protocol/messages/notice.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { findTrack } from '@vtb/protocol/season/definition.ts';
import type { Deps } from '../deps.ts';
import { openLog } from './openLog.ts';

/**
 * The enclave says which splits it holds: they are kept, a season's log is opened once all its active tracks have
 * theirs, and a later change is a leaf of its own. Submissions that waited for a split are ordered by a sweep.
 */
export async function noteSplits(
  input: { readonly notice: Extract<Notice, { kind: 'splits' }>; readonly at: Date },
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { notice, at } = input;
  const served = notice.splits.filter(({ season }) => deps.seasons.has(season));
  refuseForeign(served, deps);
  // The same order of locks whatever the notice's order is.
  const seasonIds = [...new Set(served.map(({ season }) => season))].sort();
  for (const season of seasonIds) {
    await lockLog(season, tx);
    const isOpen = (await logSize(season, tx)) > 0;
    const before = new Set((await currentSplits(season, tx)).map(({ split }) => split));
    const held = served.filter((split) => split.season === season);
    await keepSplits(held, new Date(notice.at), tx);
    const changed = (await currentSplits(season, tx)).filter(({ split }) => !before.has(split));
    await sayChanged(changed, notice.id, at, tx);
    if (isOpen && changed.length > 0) await logChange(season, changed, at, tx);
    if (!isOpen) await openLog({ season, at }, deps, tx);
  }
}

/** A split that the season's file fixes by digest can't be another one. */
function refuseForeign(splits: readonly SplitHeld[], deps: Deps): void {
  const problems = splits.flatMap((held, index): Problem[] => {
    const season = deps.seasons.get(held.season)?.season;
    const track = season && findTrack(season, held.track);
    const at = `/splits/${index}`;
    if (track === undefined)
      return [{ code: 'split.unknown', at, message: `${held.season} has no track ${held.track}` }];
    const defined = held.purpose === 'final' ? track.splits.test : track.splits.validation;
    if (defined.kind === 'fixed' && defined.digest !== held.split)
      return [
        {
          code: 'split.foreign',
          at,
          message: `the season fixes ${defined.digest}, the notice says ${held.split}`,
        },
      ];
    if (defined.size !== undefined && defined.size !== held.tasks)
      return [
        {
          code: 'split.size',
          at,
          message: `the season says ${defined.size} tasks, the notice ${held.tasks}`,
        },
      ];
    return [];
  });
  if (problems.length > 0)
    throw new Refusal('message.invalid', 'these are not the season’s splits', problems);
}

async function sayChanged(changed: readonly SplitRow[], notice: string, at: Date, tx: Db): Promise<void> {
  for (const { season, track, purpose, split } of changed) {
    const detail = { notice, season, track, purpose };
    await writeAudit({ at, actor: 'grader', act: 'split.held', subject: split, reason: null, detail }, tx);
  }
}

async function logChange(season: string, changed: readonly SplitRow[], at: Date, tx: Db): Promise<void> {
  const splits = changed.map(({ track, purpose, split, commitment }) => ({
    track,
    purpose,
    split,
    commitment,
  }));
  const reason = 'the grader says that it holds these splits';
  const leaf = leafSchema.parse({ kind: 'splits', season, splits, reason, at: at.toISOString() });
  const index = await appendLeaf({ leaf, at }, tx);
  await writeAudit(
    { at, actor: 'grader', act: 'log.splits', subject: season, reason, detail: { leaf: index } },
    tx,
  );
}
