import type { PublicEntry } from '@vtb/protocol/wire/board.ts';
import { eq } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { entries, runs, submissions } from '../schema.ts';
import { readPublicEntry } from './entry.ts';

/** A published final with the entry it belongs to. */
export interface PublicSubmission {
  readonly entry: Omit<PublicEntry, 'finals'>;
  readonly final: PublicEntry['finals'][number];
}

/** A submission as everybody may see it; undefined unless one of its gradings is published. */
export async function readPublicSubmission(
  input: { readonly id: string; readonly asOf: Date },
  db: Db,
): Promise<PublicSubmission | undefined> {
  const [row] = await db
    .select({ entry: entries.id })
    .from(submissions)
    .innerJoin(runs, eq(runs.id, submissions.run))
    .innerJoin(entries, eq(entries.id, runs.entry))
    .where(eq(submissions.id, input.id));
  const found = row && (await readPublicEntry({ id: row.entry, asOf: input.asOf }, db));
  const final = found?.finals.find(({ submission }) => submission === input.id);
  if (found === undefined || final === undefined) return undefined;
  const { finals: _finals, ...entry } = found;
  return { entry, final };
}
