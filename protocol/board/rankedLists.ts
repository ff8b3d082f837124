import { averagedSystem, averagedTracksMax, comparedMax } from '../messages/comparison.ts';
import type { BoardRow, BoardTable, Cell } from './table.ts';

/** The ranked rows of a track (null: of Avg.), best first: what a checkpoint asks the grader to compare. */
export interface RankedList {
  readonly track: string | null;
  /** Ids of rows, and beside each what comparisons call it. */
  readonly rows: readonly string[];
  readonly systems: readonly string[];
  /** Per row its gradings: one, and in Avg. one for each track. */
  readonly gradings: readonly (readonly string[])[];
}

/**
 * What is ranked on each track and in Avg., best first; inside a shared rank the earlier commit stands first.
 *
 * returns  a list for each track, and one for Avg. where the season has no more than averagedTracksMax tracks; those with
 *          fewer than two rows have nothing to compare and are left out.
 */
export function rankedLists(table: BoardTable): readonly RankedList[] {
  const tracks = tracksOf(table);
  const lists = tracks.map((track) => trackList(table.rows, track));
  if (tracks.length <= averagedTracksMax) lists.push(avgList(table.rows));
  return lists.filter(({ rows }) => rows.length > 1);
}

/** The first rows of a list, as many as are compared. */
export function comparedPart(list: RankedList): RankedList {
  const first = <T>(values: readonly T[]) => values.slice(0, comparedMax);
  return {
    track: list.track,
    rows: first(list.rows),
    systems: first(list.systems),
    gradings: first(list.gradings),
  };
}

/** Every track of a board, in the order in which cells name them. */
export function tracksOf(table: BoardTable): readonly string[] {
  return Object.keys(table.rows.find(({ kind }) => kind === 'entry')?.cells ?? {});
}

type Replayed = Extract<Cell, { kind: 'replayed' }>;

function trackList(rows: readonly BoardRow[], track: string): RankedList {
  const ranked = rows
    .flatMap(({ id, cells }) => {
      const cell = cells[track];
      return cell?.kind === 'replayed' ? [{ id, cell }] : [];
    })
    .sort((a, b) => compareCells(a.cell, b.cell));
  return listOf(
    track,
    ranked.map(({ id, cell }) => ({ id, gradings: [cell.grading] })),
  );
}

function compareCells(a: Replayed, b: Replayed): number {
  return a.rank - b.rank || a.committedAt.localeCompare(b.committedAt) || (a.grading < b.grading ? -1 : 1);
}

/** Complete rows stand first on the board already, in the order of Avg. */
function avgList(rows: readonly BoardRow[]): RankedList {
  const complete = rows.filter(({ kind, avg }) => kind === 'entry' && avg !== null && avg.rank !== null);
  return listOf(
    null,
    complete.map(({ id, cells }) => ({
      id,
      gradings: Object.values(cells).flatMap((cell) => (cell.kind === 'replayed' ? [cell.grading] : [])),
    })),
  );
}

function listOf(
  track: string | null,
  ranked: readonly { readonly id: string; readonly gradings: readonly string[] }[],
): RankedList {
  return {
    track,
    rows: ranked.map(({ id }) => id),
    systems: ranked.map(({ gradings }) => averagedSystem(gradings)),
    gradings: ranked.map(({ gradings }) => gradings),
  };
}
