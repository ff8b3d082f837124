import { and, asc, desc, eq } from 'drizzle-orm';
import type { Vault } from './connect.ts';
import { splits } from './schema.ts';

export type SplitRow = typeof splits.$inferSelect;

/** Which split of a season. */
export interface SplitPlace {
  readonly season: string;
  readonly track: string;
  readonly purpose: 'validation' | 'final';
}

/** Makes a split the active one of its place; an earlier one stays, inactive. The second time changes nothing. */
export async function holdSplit(row: Omit<SplitRow, 'active'>, db: Vault): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .update(splits)
      .set({ active: false })
      .where(and(at(row), eq(splits.active, true)));
    await tx
      .insert(splits)
      .values({ ...row, active: true })
      .onConflictDoUpdate({
        target: [splits.season, splits.track, splits.purpose, splits.digest],
        set: { active: true },
      });
  });
}

/** The active split of a place. */
export async function activeSplit(place: SplitPlace, db: Vault): Promise<SplitRow | undefined> {
  const [row] = await db
    .select()
    .from(splits)
    .where(and(at(place), eq(splits.active, true)));
  return row;
}

/** A track's split by digest, whatever its purpose, the hidden one first: what an order's claim is held against. */
export async function splitByDigest(
  input: { readonly season: string; readonly track: string; readonly digest: string },
  db: Vault,
): Promise<SplitRow | undefined> {
  const { season, track, digest } = input;
  const [row] = await db
    .select()
    .from(splits)
    .where(and(eq(splits.season, season), eq(splits.track, track), eq(splits.digest, digest)))
    .orderBy(desc(splits.hidden));
  return row;
}

/** Every active split, by place. */
export async function activeSplits(db: Vault): Promise<SplitRow[]> {
  return db
    .select()
    .from(splits)
    .where(eq(splits.active, true))
    .orderBy(asc(splits.season), asc(splits.track), asc(splits.purpose));
}

/** Every split that was ever held. */
export async function allSplits(db: Vault): Promise<SplitRow[]> {
  return db.select().from(splits);
}

function at({ season, track, purpose }: SplitPlace) {
  return and(eq(splits.season, season), eq(splits.track, track), eq(splits.purpose, purpose));
}
