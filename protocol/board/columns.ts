import { type BuiltInColumn, builtInColumns, type Season } from '../season/definition.ts';
import type { BoardTable } from './table.ts';

const titles: Readonly<Record<BuiltInColumn, string>> = {
  avg: 'Avg.',
  hours: 'Hours',
  researchTokens: 'Research tokens',
  replayTokens: 'Replay tokens',
  finalsUsed: 'Finals used',
};

/** The season's columns in its order; a track's title is its short one. */
export function boardColumns(season: Season): BoardTable['columns'] {
  return season.columns.map((key) => {
    const builtIn = builtInColumns.find((name) => name === key);
    if (builtIn !== undefined) return { key, kind: builtIn, title: titles[builtIn] };
    const track = season.tracks.find(({ id }) => id === key);
    return { key, kind: 'track', title: track?.shortTitle ?? key };
  });
}
