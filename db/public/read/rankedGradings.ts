import { buildBoard } from '@vtb/protocol/board/buildBoard.ts';
import { comparedPart, type RankedList, rankedLists, tracksOf } from '@vtb/protocol/board/rankedLists.ts';
import { sha256Schema } from '@vtb/protocol/digest.ts';
import type { Checkpoint } from '@vtb/protocol/messages/checkpoint.ts';
import { averagedSystem, comparedListDigest, comparedMax } from '@vtb/protocol/messages/comparison.ts';
import { inArray } from 'drizzle-orm';
import type { ComparisonRow } from '../comparisons.ts';
import type { Db } from '../connect.ts';
import { gradings } from '../schema.ts';
import { readBoardFacts, readSeason } from './board.ts';

type Asked = Pick<Checkpoint, 'ranked' | 'averaged'>;
type Ranked = Checkpoint['ranked'][number];

/**
 * What a checkpoint asks the grader to compare: what is ranked on each track, best first, apart for each split, because only
 * results on the same tasks are compared; and the rows of Avg., where all of them are graded on the same splits.
 */
export async function rankedGradings(
  input: { readonly season: string; readonly asOf: Date },
  db: Db,
): Promise<Asked> {
  const found = await readSeason(input.season, db);
  if (found === undefined) return { ranked: [] };
  const board = buildBoard(await readBoardFacts({ season: found.season, asOf: input.asOf }, db));
  const lists = rankedLists(board);
  const splits = await splitsOf(
    lists.flatMap(({ gradings: ids }) => ids.flat()),
    db,
  );
  const splitOf = (grading: string) => {
    const split = splits.get(grading);
    if (split === undefined) throw new Error(`a ranked grading is gone: ${grading}`);
    return split;
  };
  const averaged = averagedOf(
    lists.find(({ track }) => track === null),
    tracksOf(board),
    splitOf,
  );
  return {
    ranked: lists.flatMap((list) => (list.track === null ? [] : bySplit(list, list.track, splitOf))),
    ...(averaged === undefined ? {} : { averaged }),
  };
}

/** The lists of a checkpoint as rows that wait for their comparison; a list of one row has nothing to compare. */
export function askedLists(
  season: string,
  { ranked, averaged }: Asked,
): Pick<ComparisonRow, 'list' | 'season' | 'track' | 'split' | 'systems'>[] {
  const tracks = ranked.map(({ track, split, gradings: systems }) => ({ track, split, systems }));
  const avg =
    averaged === undefined
      ? []
      : [{ track: null, split: null, systems: averaged.rows.map((row) => averagedSystem(row)) }];
  return [...tracks, ...avg]
    .filter(({ systems }) => systems.length > 1)
    .map((list) => ({ ...list, season, list: comparedListDigest({ season, ...list }) }));
}

function bySplit(list: RankedList, track: string, splitOf: (grading: string) => Ranked['split']): Ranked[] {
  const groups = new Map<string, Ranked>();
  for (const grading of list.gradings.flat()) {
    const split = splitOf(grading);
    const group = groups.get(split) ?? { track, split, gradings: [] };
    if (group.gradings.length < comparedMax) group.gradings.push(grading);
    groups.set(split, group);
  }
  return [...groups.values()];
}

function averagedOf(
  list: RankedList | undefined,
  tracks: readonly string[],
  splitOf: (grading: string) => Ranked['split'],
): Checkpoint['averaged'] {
  if (list === undefined) return undefined;
  const rows = comparedPart(list).gradings.map((row) => [...row]);
  const splits = (rows[0] ?? []).map(splitOf);
  if (rows.some((row) => row.some((grading, place) => splitOf(grading) !== splits[place]))) return undefined;
  return {
    tracks: tracks.flatMap((track, place) => {
      const split = splits[place];
      return split === undefined ? [] : [{ track, split }];
    }),
    rows,
  };
}

async function splitsOf(ids: readonly string[], db: Db): Promise<Map<string, Ranked['split']>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: gradings.id, split: gradings.split })
    .from(gradings)
    .where(inArray(gradings.id, [...new Set(ids)]));
  return new Map(rows.map(({ id, split }) => [id, sha256Schema.parse(split)]));
}
