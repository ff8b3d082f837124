import type { Sha256 } from '@vtb/protocol/digest.ts';
import type { Purpose } from '@vtb/protocol/messages/common.ts';
import type { SubmissionState } from '@vtb/protocol/states/submission.ts';
import { entryDetailSchema, entryListSchema } from '@vtb/protocol/wire/entries.ts';
import { submissionListSchema } from '@vtb/protocol/wire/submissions.ts';
import type { Client } from './client.ts';

/** From here a submission of the same system has still to come to its result: a second one would say the same. */
const onItsWay: readonly SubmissionState[] = ['committed', 'uploading', 'checking', 'queued', 'grading'];

/**
 * The newest submission of this very system that has not come to its result, so that an interrupted command goes on with
 * it and no second try is used. The service is asked: nothing is kept on this machine.
 *
 * run  null looks in all of the caller's runs on the track, also ended ones: a final ends its run as it is committed.
 */
export async function unfinishedSubmission(
  wanted: {
    readonly run: string | null;
    readonly track: string;
    readonly purpose: Purpose;
    readonly system: Sha256;
  },
  client: Pick<Client, 'get'>,
): Promise<{ readonly id: string; readonly run: string } | null> {
  const runs = wanted.run === null ? await runsOnTrack(wanted.track, client) : [wanted.run];
  for (const run of runs) {
    const { submissions } = await client.get(`/runs/${run}/submissions`, submissionListSchema);
    const found = submissions.find(
      ({ system, purpose, state }) =>
        system === wanted.system && purpose === wanted.purpose && onItsWay.includes(state),
    );
    if (found !== undefined) return { id: found.id, run };
  }
  return null;
}

async function runsOnTrack(track: string, client: Pick<Client, 'get'>): Promise<string[]> {
  const { entries } = await client.get('/entries', entryListSchema);
  const details = await Promise.all(entries.map(({ id }) => client.get(`/entries/${id}`, entryDetailSchema)));
  return details
    .flatMap(({ runs }) => runs)
    .filter((run) => run.track === track && (run.endedAt === null || run.endReason === 'final'))
    .map(({ id }) => id);
}
