import { and, desc, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { comparisons } from './schema.ts';

export type ComparisonRow = typeof comparisons.$inferSelect;

/** A comparison that came: what the board and the public read of it. */
export type AnsweredComparison = ComparisonRow & {
  readonly logSize: number;
  readonly comparison: string;
  readonly digest: string;
  readonly verdicts: string;
  readonly leaf: number;
  readonly at: Date;
};

/** Notes lists that a checkpoint asks for; one that was asked for before is asked for again. */
export async function askComparisons(
  lists: readonly Pick<ComparisonRow, 'list' | 'season' | 'track' | 'split' | 'systems'>[],
  size: number,
  tx: Db,
): Promise<void> {
  for (const list of lists)
    await tx
      .insert(comparisons)
      .values({ ...list, firstSize: size, lastSize: size })
      .onConflictDoUpdate({
        target: comparisons.list,
        set: { lastSize: sql`greatest(${comparisons.lastSize}, ${size})` },
      });
}

/** A list that was asked for, its row locked. */
export async function lockComparison(list: string, tx: Db): Promise<ComparisonRow | undefined> {
  const [row] = await tx.select().from(comparisons).where(eq(comparisons.list, list)).for('update');
  return row;
}

/** Keeps the answer to a list; false when it has one. */
export async function keepComparison(
  list: string,
  answer: Pick<AnsweredComparison, 'logSize' | 'comparison' | 'digest' | 'verdicts' | 'leaf' | 'at'>,
  tx: Db,
): Promise<boolean> {
  const rows = await tx
    .update(comparisons)
    .set(answer)
    .where(and(eq(comparisons.list, list), sql`${comparisons.comparison} IS NULL`))
    .returning({ list: comparisons.list });
  return rows.length > 0;
}

/** What the board needs of the answers to these lists that had come by an instant. */
export async function comparisonsOf(
  input: { readonly lists: readonly string[]; readonly asOf: Date },
  db: Db,
): Promise<Pick<AnsweredComparison, 'track' | 'systems' | 'verdicts'>[]> {
  if (input.lists.length === 0) return [];
  const { track, systems, verdicts } = comparisons;
  const rows = await db
    .select({ track, systems, verdicts })
    .from(comparisons)
    .where(and(inArray(comparisons.list, [...input.lists]), lte(comparisons.at, input.asOf)));
  return rows.flatMap((row) => (row.verdicts === null ? [] : [{ ...row, verdicts: row.verdicts }]));
}

/** Of the answered lists of a track (null: Avg.), the one that was asked for last. */
export async function newestComparison(
  input: { readonly season: string; readonly track: string | null },
  db: Db,
): Promise<AnsweredComparison | undefined> {
  const { season, track } = input;
  const rows = await db
    .select()
    .from(comparisons)
    .where(
      and(
        eq(comparisons.season, season),
        sql`${comparisons.track} IS NOT DISTINCT FROM ${track}`,
        isNotNull(comparisons.comparison),
      ),
    )
    .orderBy(desc(comparisons.lastSize), desc(comparisons.leaf))
    .limit(1);
  return rows.flatMap(answered)[0];
}

function answered(row: ComparisonRow): AnsweredComparison[] {
  const { logSize, comparison, digest, verdicts, leaf, at } = row;
  if (logSize === null || comparison === null || digest === null) return [];
  if (verdicts === null || leaf === null || at === null) return [];
  return [{ ...row, logSize, comparison, digest, verdicts, leaf, at }];
}
