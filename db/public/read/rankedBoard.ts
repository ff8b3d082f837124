import { buildBoard } from '@vtb/protocol/board/buildBoard.ts';
import { rankedLists } from '@vtb/protocol/board/rankedLists.ts';
import type { BoardTable } from '@vtb/protocol/board/table.ts';
import { withRankRanges } from '@vtb/protocol/board/withRankRanges.ts';
import { comparedListDigest } from '@vtb/protocol/messages/comparison.ts';
import type { Season } from '@vtb/protocol/season/definition.ts';
import { comparisonsOf } from '../comparisons.ts';
import type { Db } from '../connect.ts';
import { readBoardFacts } from './board.ts';

/** A season's board as of an instant, with rank ranges where the grader had compared exactly its ranked rows by then. */
export async function readRankedBoard(
  input: { readonly season: Season; readonly asOf: Date },
  db: Db,
): Promise<BoardTable> {
  const { season, asOf } = input;
  const board = buildBoard(await readBoardFacts({ season, asOf }, db));
  const lists = rankedLists(board).map(({ track, systems }) =>
    comparedListDigest({ season: season.id, track, systems: [...systems] }),
  );
  return withRankRanges(board, await comparisonsOf({ lists, asOf }, db));
}
