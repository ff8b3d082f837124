import { buildBoard } from '@vtb/protocol/board/buildBoard.ts';
import { sha256Schema } from '@vtb/protocol/digest.ts';
import type { Checkpoint } from '@vtb/protocol/messages/checkpoint.ts';
import { inArray } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { gradings } from '../schema.ts';
import { readBoardFacts, readSeason } from './board.ts';

type Ranked = Checkpoint['ranked'][number];

/** Ranked rows of one track that comparisons are made for; those below are not compared. */
const rankedMax = 1_000;

/** What is ranked on each track, best first, apart for each split: only results on the same tasks are compared. */
export async function rankedGradings(
  input: { readonly season: string; readonly asOf: Date },
  db: Db,
): Promise<Ranked[]> {
  const found = await readSeason(input.season, db);
  if (found === undefined) return [];
  const board = buildBoard(await readBoardFacts({ season: found.season, asOf: input.asOf }, db));
  const ranked = found.season.tracks.flatMap(({ id: track }) =>
    board.rows
      .flatMap(({ cells }) => {
        const cell = cells[track];
        return cell?.kind === 'replayed' ? [cell] : [];
      })
      .sort(
        (a, b) =>
          a.rank - b.rank || a.committedAt.localeCompare(b.committedAt) || (a.grading < b.grading ? -1 : 1),
      )
      .map(({ grading }) => ({ track, grading })),
  );
  if (ranked.length === 0) return [];
  const splits = await splitsOf(
    ranked.map(({ grading }) => grading),
    db,
  );
  const groups = new Map<string, { track: string; split: Ranked['split']; gradings: string[] }>();
  for (const { track, grading } of ranked) {
    const split = splits.get(grading);
    if (split === undefined) throw new Error(`a ranked grading is gone: ${grading}`);
    const group = groups.get(`${track} ${split}`) ?? { track, split, gradings: [] };
    if (group.gradings.length < rankedMax) group.gradings.push(grading);
    groups.set(`${track} ${split}`, group);
  }
  return [...groups.values()];
}

async function splitsOf(ids: readonly string[], db: Db): Promise<Map<string, Ranked['split']>> {
  const rows = await db
    .select({ id: gradings.id, split: gradings.split })
    .from(gradings)
    .where(inArray(gradings.id, [...ids]));
  return new Map(rows.map(({ id, split }) => [id, sha256Schema.parse(split)]));
}
