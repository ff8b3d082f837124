import type { Db } from '@vtb/db/public/connect.ts';
import { finalsLines, linesOfRun } from '@vtb/db/public/ledger.ts';
import type { RunContext } from '@vtb/db/public/runs.ts';
import { stateChangesOfRun } from '@vtb/db/public/submissions.ts';
import type { Quota, Run } from '@vtb/protocol/wire/entries.ts';
import type { Deps } from '../deps.ts';
import { countAllowance } from './countAllowance.ts';
import { type RunClock, runClock } from './runClock.ts';
import { seasonOf, trackOf } from './trackOf.ts';

/** A run's quota and clock: read under the run's lock to decide, without it to show. */
export interface RunStanding {
  readonly quota: Quota;
  readonly clock: RunClock;
  readonly budgetHours: number;
}

/** Computes where a run stands at an instant. */
export async function runStanding(
  input: RunContext & { readonly at: Date },
  deps: Pick<Deps, 'seasons'>,
  db: Db,
): Promise<RunStanding> {
  const { run, entry, at } = input;
  const loaded = seasonOf(entry.season, deps);
  const { finalsMax, validationTriesMax, failedTriesMax } = loaded.season.quotas;
  const { budgetHours } = trackOf(loaded, run.track);
  const [mine, finals, changes] = [
    await linesOfRun(run.id, db),
    await finalsLines({ team: entry.team, season: entry.season, track: run.track }, db),
    await stateChangesOfRun(run.id, db),
  ];
  return {
    quota: {
      run: run.id,
      finals: countAllowance(finals, 'finals', finalsMax),
      validations: countAllowance(mine, 'validations', validationTriesMax),
      failedTries: countAllowance(mine, 'failedTries', failedTriesMax),
    },
    clock: runClock({ ...run, budgetHours, creditsWaiting: loaded.season.creditsWaiting, changes, at }),
    budgetHours,
  };
}

/** A run as its team sees it. */
export function runView({ run, entry }: RunContext, { quota, clock, budgetHours }: RunStanding): Run {
  return {
    id: run.id,
    entry: run.entry,
    season: entry.season,
    track: run.track,
    startedAt: run.startedAt.toISOString(),
    budgetHours,
    deadline: clock.deadline.toISOString(),
    waitedHours: Math.round(clock.waitedMs / 3_600) / 1_000,
    endedAt: run.endedAt?.toISOString() ?? null,
    endReason: run.endReason,
    quota,
  };
}
