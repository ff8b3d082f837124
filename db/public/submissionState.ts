import { Refusal } from '@vtb/protocol/errors.ts';
import {
  type SubmissionEvent,
  type SubmissionState,
  submissionStates,
  submissionTable,
} from '@vtb/protocol/states/submission.ts';
import { transition } from '@vtb/protocol/states/transition.ts';
import { and, eq } from 'drizzle-orm';
import { writeAudit } from './audit.ts';
import type { Db } from './connect.ts';
import { writeEvent } from './events.ts';
import { submissions } from './schema.ts';

export type SubmissionRow = typeof submissions.$inferSelect;

/** A step of a submission's life: what happened, to whom it is put down, and what else changes with it. */
export interface SubmissionMove {
  readonly submission: string;
  readonly event: SubmissionEvent;
  readonly at: Date;
  /** An account's id, 'grader' or 'gateway'. */
  readonly actor: string;
  readonly reason: string | null;
  readonly set?: Partial<Pick<SubmissionRow, 'problems' | 'currentGrading' | 'withdrawnAt'>>;
  /** What the audit line keeps beside from and to. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/**
 * The only way a submission's state changes: conditional update, audit line and event, in the caller's transaction.
 *
 * returns  the row after the step.
 * throws   Refusal('state.conflict') when the event is not possible in the state the row has, or had meanwhile.
 */
export async function moveSubmission(move: SubmissionMove, tx: Db): Promise<SubmissionRow> {
  const from = await lockedState(move.submission, tx);
  const to = from === undefined ? undefined : transition(submissionTable, from, move.event);
  if (from === undefined || to === undefined) throw conflict(move, from);
  const [row] = await tx
    .update(submissions)
    .set({ ...move.set, state: to, stateAt: move.at, stateReason: move.reason })
    .where(and(eq(submissions.id, move.submission), eq(submissions.state, from)))
    .returning();
  if (row === undefined) throw conflict(move, from);
  const { at, actor, reason, submission } = move;
  await writeAudit(
    {
      at,
      actor,
      act: `submission.${move.event}`,
      subject: submission,
      reason,
      detail: { ...move.detail, from, to },
    },
    tx,
  );
  await writeEvent({ submission, kind: 'state', state: to, reason, progress: null, at }, tx);
  return row;
}

/** The state of a submission, its row locked until the transaction ends; undefined when there is none. */
export async function lockedState(submission: string, tx: Db): Promise<SubmissionState | undefined> {
  const [row] = await tx
    .select({ state: submissions.state })
    .from(submissions)
    .where(eq(submissions.id, submission))
    .for('no key update');
  return row === undefined ? undefined : stateOf(row.state);
}

/** A stored state as its type. throws Error when the database holds a word that no table knows. */
export function stateOf(stored: string): SubmissionState {
  const state = submissionStates.find((known) => known === stored);
  if (state === undefined) throw new Error(`a submission is in the unknown state ${stored}`);
  return state;
}

function conflict(move: SubmissionMove, from: SubmissionState | undefined): Refusal {
  const now = from === undefined ? 'is not there' : `is ${from}`;
  return new Refusal(
    'state.conflict',
    `submission ${move.submission} ${now}: "${move.event}" is not possible; read it again`,
  );
}
