import type { RankedListRow } from '@vtb/db/vault/rankedLists.ts';
import { splitByDigest } from '@vtb/db/vault/splits.ts';
import { type TaskCounts, taskCountsOf } from '@vtb/db/vault/taskCounts.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { metricNamed } from '@vtb/protocol/scoring/metrics.ts';
import { type Enclave, findTrackOf } from '../enclave.ts';

/** What each task counts, per row of a list, on one of its tracks; `k` is the most a task counts. */
export interface GradedTrack {
  readonly k: number;
  readonly rows: readonly (readonly number[])[];
}

/**
 * The counts behind a ranked list, per track, from the vault alone.
 *
 * throws  Refusal('message.invalid') naming the first row that can't be compared: unknown here, of another season, track or
 *         split, without a score, or with trials that are not all here any more.
 */
export async function gradedTracks(list: RankedListRow, enclave: Enclave): Promise<readonly GradedTrack[]> {
  const { rows, tracks } = list;
  const gradings = rows.flat();
  if (rows.some((row) => row.length !== tracks.length)) throw refused('a row lacks a grading for a track');
  if (new Set(gradings).size !== gradings.length) throw refused('a grading is ranked twice');
  const counts = await taskCountsOf(gradings, enclave.db);
  const graded: GradedTrack[] = [];
  for (const [place, { track, split: digest }] of tracks.entries()) {
    const found = findTrackOf(list.season, track, enclave);
    const split = await splitByDigest({ season: list.season, track, digest }, enclave.db);
    if (found === undefined || split === undefined) throw refused(`no track ${track} on that split here`);
    const { metric: name, trials } = found.track.settings;
    const metric = metricNamed(name, trials);
    const expected = { season: list.season, track, split: digest, trials, tasks: split.tasks };
    graded.push({
      k: metric.outOf,
      rows: rows.map((row) => metric.values(wholeCounts(row[place] ?? '', counts, expected))),
    });
  }
  return graded;
}

interface Expected {
  readonly season: string;
  readonly track: string;
  readonly split: string;
  readonly trials: number;
  readonly tasks: number;
}

function wholeCounts(
  grading: string,
  counts: ReadonlyMap<string, TaskCounts>,
  expected: Expected,
): readonly number[] {
  const row = counts.get(grading);
  if (row === undefined) throw refused(`${grading} has no trials here`);
  const { season, track, split } = expected;
  if (row.season !== season || row.track !== track || row.split !== split)
    throw refused(`${grading} is of another season, track or split`);
  if (!row.scored) throw refused(`${grading} has no score`);
  if (!row.whole || row.counts.length !== expected.tasks || row.trialsPerTask !== expected.trials)
    throw refused(`${grading} has not all of its ${expected.tasks} × ${expected.trials} trials here`);
  return row.counts;
}

function refused(why: string): Refusal {
  return new Refusal('message.invalid', why);
}
