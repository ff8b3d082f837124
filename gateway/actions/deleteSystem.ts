/**
 * Theory of operation. First the team's possession ends and the deletion is on record, in one transaction: from then on
 * nothing of this system is graded. Then the bytes are erased, chunk by chunk. Only when the last is gone is the statement
 * signed. A process that dies in between leaves a deletion without a statement; asking again goes on from there.
 */
import { writeAudit } from '@vtb/db/public/audit.ts';
import type { Db } from '@vtb/db/public/connect.ts';
import {
  addDeletion,
  countDeletion,
  type DeletionRow,
  findDeletion,
  saveStatement,
} from '@vtb/db/public/deletions.ts';
import { forgetSystem, lockPossessions } from '@vtb/db/public/garbage.ts';
import { type GradingContext, gradingContext, lockGradingContext } from '@vtb/db/public/gradingContext.ts';
import { openGradings } from '@vtb/db/public/gradings.ts';
import { stateOf } from '@vtb/db/public/submissionState.ts';
import { chunksOfSubmission } from '@vtb/db/public/teamChunks.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { type Deletion, deletionSchema } from '@vtb/protocol/messages/deletion.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import type { SubmissionState } from '@vtb/protocol/states/submission.ts';
import { eraseUnneeded } from '../chunks/eraseUnneeded.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';

/** Whose system goes, and who says so. */
export interface DeletionRequest {
  readonly submission: string;
  readonly actor: string;
  readonly at: Date;
}

/** The deletion with its proof. */
export interface Deleted {
  readonly deletion: Deletion;
  /** The same as a JWS signed by the gateway. */
  readonly statement: string;
}

/** At rest: nothing is being done with the bytes, and nobody has to look at them. Quiet finals look like graded ones. */
const deletable: readonly SubmissionState[] = ['refused', 'lapsed', 'withdrawn', 'published', 'disqualified'];

/**
 * Erases the bytes of a submission's system and proves it; digests and results stay. The second time changes nothing and
 * returns the same statement.
 *
 * throws  Refusal state.conflict while the submission is under way or held, or grading.open while it is graded again.
 */
export async function deleteSystem(request: DeletionRequest, deps: Deps): Promise<Deleted> {
  const { submission } = request;
  const row = await deps.db.transaction((tx) => endPossession(request, tx));
  const context = await gradingContext(submission, deps.db);
  if (context === undefined) throw notFound();
  const deletion = statementOf(row, context);
  if (row.statement !== null) return { deletion, statement: row.statement };
  for (const sha256 of await chunksOfSubmission(submission, deps.db)) await eraseUnneeded(sha256, deps);
  // The same facts give the same text: two that arrive here at once save the same.
  const statement = await seal('deletion', deletion, deps.keys.signing);
  await saveStatement({ submission, statement }, deps.db);
  return { deletion, statement };
}

async function endPossession({ submission, actor, at }: DeletionRequest, tx: Db): Promise<DeletionRow> {
  const context = await lockGradingContext(submission, tx);
  if (context === undefined) throw notFound();
  const known = await findDeletion(submission, tx);
  if (known !== undefined) return known;
  const state = stateOf(context.submission.state);
  if (!deletable.includes(state))
    throw new Refusal(
      'state.conflict',
      `the submission is ${state}; its bytes can be deleted when it is ${deletable.join(', ')}`,
    );
  const [open] = await openGradings(submission, tx);
  if (open !== undefined)
    throw new Refusal('grading.open', `grading ${open.number} needs these bytes; wait until it has ended`);
  const { team } = context.entry;
  await lockPossessions(team, 'alone', tx);
  const all = await chunksOfSubmission(submission, tx);
  // On record first: a deleted submission needs nothing any more.
  const counted = { chunksDeleted: 0, bytesDeleted: 0, chunksKept: 0 };
  await addDeletion({ submission, at, ...counted }, tx);
  const forgotten = await forgetSystem({ submission, team, at }, tx);
  const facts = {
    chunksDeleted: forgotten.length,
    bytesDeleted: forgotten.reduce((sum, { size }) => sum + Number(size), 0),
    chunksKept: all.length - forgotten.length,
  };
  await countDeletion({ submission, ...facts }, tx);
  const act = 'submission.systemDeleted';
  await writeAudit({ at, actor, act, subject: submission, reason: null, detail: { state, ...facts } }, tx);
  return { submission, at, ...facts, statement: null };
}

function statementOf(row: DeletionRow, { submission, run, entry }: GradingContext): Deletion {
  const { chunksDeleted, bytesDeleted, chunksKept, at } = row;
  return deletionSchema.parse({
    v: 1,
    aud: 'vtb-public',
    submission: submission.id,
    season: entry.season,
    track: run.track,
    system: submission.system,
    chunksDeleted,
    bytesDeleted,
    chunksKept,
    at: at.toISOString(),
  });
}
