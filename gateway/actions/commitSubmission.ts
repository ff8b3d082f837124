/**
 * Theory of operation. The instant of this call is the instant that counts: the manifest names every byte by digest, so
 * the bytes may follow. Under the run's lock the same functions that show quota and clock decide here, and a final's
 * reservation and the end of its run are written in the same transaction.
 */
import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import { writeEvent } from '@vtb/db/public/events.ts';
import { lockPossessions } from '@vtb/db/public/garbage.ts';
import { addLedgerLine } from '@vtb/db/public/ledger.ts';
import { endRun, lockRun, type RunContext } from '@vtb/db/public/runs.ts';
import { addSubmission, countInStates } from '@vtb/db/public/submissions.ts';
import { addSubmissionChunks, missingChunks } from '@vtb/db/public/teamChunks.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { type Chunk, type Manifest, manifestDigest } from '@vtb/protocol/system/manifest.ts';
import { readManifest } from '@vtb/protocol/system/readManifest.ts';
import { type Committed, missingMax, type NewSubmission } from '@vtb/protocol/wire/submissions.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';
import type { Person } from '../identity/caller.ts';
import { refuseClosedTrack } from '../quota/openSeason.ts';
import { runStanding } from '../quota/runStanding.ts';
import { seasonOf, trackOf } from '../quota/trackOf.ts';

/** What is committed, by whom, when. */
export interface Commitment {
  readonly caller: Person;
  readonly run: string;
  readonly wanted: NewSubmission;
  readonly at: Date;
}

/** Uploads that a run may have open at once: bounds what one run can make the database hold. */
const openUploadsMax = 50;

/** Commits a system to a run. throws a Refusal for everything that contracts and season don't allow. */
export async function commitSubmission(commitment: Commitment, deps: Deps, tx: Db): Promise<Committed> {
  const { caller, wanted, at } = commitment;
  const context = await lockRun(commitment.run, tx);
  if (context === undefined) throw notFound();
  const { run, entry } = context;
  const { season } = seasonOf(entry.season, deps);
  await refuseClosedRun(context, commitment, deps, tx);
  const manifest = acceptManifest(wanted.manifest, run.track);
  const chunks = distinctChunks(manifest);
  const system = manifestDigest(manifest);
  const id = newId('submission', deps.random(20));
  const uploadUntil = new Date(at.getTime() + season.uploadGraceHours * 3_600_000);
  await addSubmission(
    {
      id,
      run: run.id,
      purpose: wanted.purpose,
      state: 'committed',
      stateAt: at,
      stateReason: null,
      system,
      manifest,
      bytes: manifest.files.reduce((sum, file) => sum + file.size, 0),
      committedAt: at,
      committedBy: caller.account,
      committedWith: caller.jti,
      uploadUntil,
    },
    tx,
  );
  await lockPossessions(entry.team, 'shared', tx);
  await addSubmissionChunks(id, chunks, tx);
  await writeAudit(
    {
      at,
      actor: caller.account,
      act: 'submission.committed',
      subject: id,
      reason: null,
      detail: { run: run.id, purpose: wanted.purpose, system },
    },
    tx,
  );
  await writeEvent(
    { submission: id, kind: 'state', state: 'committed', reason: null, progress: null, at },
    tx,
  );
  if (wanted.purpose === 'final') await endWithFinal(context, id, commitment, tx);
  const missing = await missingChunks({ submission: id, team: entry.team, limit: missingMax }, tx);
  return {
    id,
    system,
    committedAt: at.toISOString(),
    uploadUntil: uploadUntil.toISOString(),
    missing: missing.digests,
    missingCount: missing.count,
  };
}

async function refuseClosedRun(
  context: RunContext,
  { wanted, at }: Commitment,
  deps: Deps,
  tx: Db,
): Promise<void> {
  const { run, entry } = context;
  const loaded = seasonOf(entry.season, deps);
  refuseClosedTrack({
    season: loaded.season,
    track: trackOf(loaded, run.track),
    purpose: wanted.purpose,
    at,
  });
  if (run.endReason === 'final' && wanted.purpose === 'final')
    throw new Refusal('final.live', 'this run has a live final commit; at most one per run');
  if (run.endedAt !== null) throw new Refusal('run.ended', `this run ended at ${run.endedAt.toISOString()}`);
  const { quota, clock } = await runStanding({ ...context, at }, deps, tx);
  if (at >= clock.deadline)
    throw new Refusal('run.overBudget', `the budget was used up at ${clock.deadline.toISOString()}`);
  const { finals, validations, failedTries } = quota;
  if (wanted.purpose === 'final') {
    if (failedTries.left === 0)
      throw new Refusal(
        'quota.failedTries',
        `${failedTries.spent} of ${failedTries.limit} failed tries are used in this run`,
      );
    if (finals.left === 0)
      throw new Refusal(
        'quota.finals',
        `${finals.spent} of ${finals.limit} finals are used and ${finals.reserved} reserved on this track, over all entries of the team`,
      );
  } else if (validations.left === 0) {
    throw new Refusal(
      'quota.validation',
      `${validations.spent} of ${validations.limit} validation tries are used and ${validations.reserved} reserved in this run`,
    );
  }
  const open = await countInStates({ run: run.id, states: ['committed', 'uploading'] }, tx);
  if (open >= openUploadsMax) {
    throw new Refusal(
      'quota.openUploads',
      `${open} uploads of this run are unfinished, at most ${openUploadsMax} may be; seal or withdraw some`,
    );
  }
}

function acceptManifest(value: unknown, track: string): Manifest {
  const reading = readManifest(value);
  if (!reading.ok)
    throw new Refusal(
      'manifest.invalid',
      `the manifest has ${reading.problems.length} problem(s)`,
      reading.problems,
    );
  const { manifest } = reading;
  if (manifest.track === track) return manifest;
  const problem = {
    code: 'system.track',
    at: '/track',
    message: `is "${manifest.track}"; this run is on ${track}`,
    fix: `Set track = "${track}" in system.toml.`,
  };
  throw new Refusal('manifest.invalid', 'the manifest is for another track', [problem]);
}

function distinctChunks(manifest: Manifest): Chunk[] {
  const sizes = new Map<string, Chunk>();
  for (const { chunks } of manifest.files) {
    for (const chunk of chunks) {
      const known = sizes.get(chunk.sha256);
      if (known !== undefined && known.size !== chunk.size) {
        const problem = {
          code: 'manifest.chunks',
          at: '/files',
          message: `chunk ${chunk.sha256} has two sizes: ${known.size} and ${chunk.size}`,
          fix: 'Let `vtb` write the manifest.',
        };
        throw new Refusal('manifest.invalid', 'the manifest has 1 problem(s)', [problem]);
      }
      sizes.set(chunk.sha256, chunk);
    }
  }
  return [...sizes.values()];
}

async function endWithFinal(
  { run, entry }: RunContext,
  submission: string,
  { caller, at }: Commitment,
  tx: Db,
): Promise<void> {
  if (!(await endRun({ run: run.id, at, reason: 'final' }, tx)))
    throw new Refusal('run.ended', 'this run has ended meanwhile');
  await addLedgerLine(
    { team: entry.team, run: run.id, submission, account: 'finals', act: 'reserve', reason: 'committed', at },
    tx,
  );
  await writeAudit(
    {
      at,
      actor: caller.account,
      act: 'run.endedByFinal',
      subject: run.id,
      reason: null,
      detail: { submission },
    },
    tx,
  );
}
