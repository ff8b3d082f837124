import { competitionRanks } from '../scoring/competitionRanks.ts';
import type { Season } from '../season/definition.ts';
import type { UnrankedRow } from './entryRow.ts';
import type { Cell } from './table.ts';

/** The rows with their ranks per track and in Avg.; a row without a score there gets none. */
export function rankRows(rows: readonly UnrankedRow[], season: Season): UnrankedRow[] {
  const avg = shared(competitionRanks(rows.map((row) => row.avg)));
  const tracks = new Map(
    season.tracks.map(({ id }) => [
      id,
      shared(competitionRanks(rows.map((row) => row.scores.get(id)?.fraction ?? null))),
    ]),
  );
  return rows.map((unranked, place) => {
    const { row } = unranked;
    const cells: Record<string, Cell> = {};
    for (const [track, cell] of Object.entries(row.cells)) {
      const ranked = tracks.get(track)?.[place];
      cells[track] = cell.kind === 'replayed' && ranked ? { ...cell, ...ranked } : cell;
    }
    const avgPlace = avg[place];
    return {
      ...unranked,
      row: { ...row, cells, avg: row.avg && avgPlace ? { ...row.avg, ...avgPlace } : row.avg },
    };
  });
}

function shared(
  ranks: readonly (number | null)[],
): ({ readonly rank: number; readonly tied: boolean } | null)[] {
  const counts = new Map<number, number>();
  for (const rank of ranks) if (rank !== null) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  return ranks.map((rank) => (rank === null ? null : { rank, tied: (counts.get(rank) ?? 0) > 1 }));
}
