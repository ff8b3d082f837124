import {
  type GradingEvent,
  type GradingState,
  gradingStates,
  gradingTable,
} from '@vtb/protocol/states/grading.ts';
import { transition } from '@vtb/protocol/states/transition.ts';
import { and, asc, desc, eq, inArray } from 'drizzle-orm';
import { writeAudit } from './audit.ts';
import type { Db } from './connect.ts';
import { gradings } from './schema.ts';

export type GradingRow = typeof gradings.$inferSelect;

/** States in which an order is still to be answered. */
export const openGradingStates = ['ordered', 'replaying'] as const satisfies readonly GradingState[];

/** Adds a grading that has just been ordered. */
export async function addGrading(row: typeof gradings.$inferInsert, tx: Db): Promise<void> {
  await tx.insert(gradings).values(row);
}

/** All gradings of a submission, oldest first. They append, so this is its whole history. */
export async function gradingsOf(submission: string, db: Db): Promise<GradingRow[]> {
  return db
    .select()
    .from(gradings)
    .where(eq(gradings.submission, submission))
    .orderBy(asc(gradings.number))
    .limit(10_000);
}

/** The grading that an order asks for. */
export async function gradingOfOrder(order: string, db: Db): Promise<GradingRow | undefined> {
  const [row] = await db.select().from(gradings).where(eq(gradings.order, order));
  return row;
}

/** A grading by its id. */
export async function findGrading(id: string, db: Db): Promise<GradingRow | undefined> {
  const [row] = await db.select().from(gradings).where(eq(gradings.id, id));
  return row;
}

/** Whether the enclave ever took an order of this submission: from then on a score can exist. */
export async function wasTaken(submission: string, db: Db): Promise<boolean> {
  const rows = await gradingsOf(submission, db);
  return rows.some(({ state, progress }) => progress !== null || !['ordered', 'cancelled'].includes(state));
}

/** The newest grading of a submission. */
export async function lastGrading(submission: string, db: Db): Promise<GradingRow | undefined> {
  const [row] = await db
    .select()
    .from(gradings)
    .where(eq(gradings.submission, submission))
    .orderBy(desc(gradings.number))
    .limit(1);
  return row;
}

/** The gradings of a submission whose order is still to be answered. At most one, by orderGrading. */
export async function openGradings(submission: string, db: Db): Promise<GradingRow[]> {
  return db
    .select()
    .from(gradings)
    .where(and(eq(gradings.submission, submission), inArray(gradings.state, [...openGradingStates])))
    .orderBy(asc(gradings.number));
}

/** A step of a grading's life. */
export interface GradingMove {
  readonly grading: GradingRow;
  readonly event: GradingEvent;
  readonly at: Date;
  readonly actor: string;
  readonly reason: string | null;
  readonly set?: Partial<
    Pick<
      GradingRow,
      'progress' | 'report' | 'reportDigest' | 'result' | 'maintainersPart' | 'finishedAt' | 'publishedAt'
    >
  >;
}

/**
 * The only way a grading's state changes: conditional update and audit line, in the caller's transaction, which holds
 * the submission's row.
 *
 * returns  the row after the step, or null when the event is not possible in the state it has.
 */
export async function moveGrading(move: GradingMove, tx: Db): Promise<GradingRow | null> {
  const from = gradingStateOf(move.grading.state);
  const to = transition(gradingTable, from, move.event);
  if (to === undefined) return null;
  const [row] = await tx
    .update(gradings)
    .set({ ...move.set, state: to })
    .where(and(eq(gradings.id, move.grading.id), eq(gradings.state, from)))
    .returning();
  if (row === undefined) return null;
  const { at, actor, reason } = move;
  await writeAudit(
    {
      at,
      actor,
      act: `grading.${move.event}`,
      subject: row.id,
      reason,
      detail: { from, to, order: row.order },
    },
    tx,
  );
  return row;
}

/** Notes the report of a grading that had ended before it came, so that the second delivery is known. */
export async function noteLateReport(
  input: { readonly grading: string; readonly digest: string },
  tx: Db,
): Promise<void> {
  await tx.update(gradings).set({ reportDigest: input.digest }).where(eq(gradings.id, input.grading));
}

/** A stored state as its type. throws Error when the database holds a word that no table knows. */
export function gradingStateOf(stored: string): GradingState {
  const state = gradingStates.find((known) => known === stored);
  if (state === undefined) throw new Error(`a grading is in the unknown state ${stored}`);
  return state;
}
