import type { Season } from '../season/definition.ts';
import { boardColumns } from './columns.ts';
import { entryRow } from './entryRow.ts';
import type { BoardFacts, PublishedFact } from './facts.ts';
import { orderRows } from './orderRows.ts';
import { rankRows } from './rankRows.ts';
import { reportedRow } from './reportedRow.ts';
import { type BoardTable, boardRule } from './table.ts';

/**
 * The board of a season from published facts.
 *
 * facts    see BoardFacts; entries without a published final don't show.
 * returns  entries first: complete ones by Avg., then those that lack a track; then baselines and reported rows in
 *          the season's order, which are never ranked. Equal exact scores share a rank, and inside one rank the
 *          earlier seal stands first.
 * throws   Error when two published results claim one cell, or a scored result has impossible sums: the facts are
 *          wrong then, and a wrong board is worse than none.
 * Pure: the same facts give the same table, whatever their order.
 */
export function buildBoard(facts: BoardFacts): BoardTable {
  const { season } = facts;
  const byEntry = publishedByEntry(facts.published, season);
  const entries = facts.entries.flatMap((entry) => {
    const published = byEntry.get(entry.id);
    return published === undefined ? [] : [entryRow(entry, published, season)];
  });
  const others = season.rows.map((row, index) => reportedRow(row, index, season));
  return {
    rule: boardRule,
    season: season.id,
    title: season.title,
    asOf: facts.asOf.toISOString(),
    columns: boardColumns(season),
    rows: [
      ...orderRows(rankRows(entries, season)),
      ...others.filter(isBaseline),
      ...others.filter((row) => !isBaseline(row)),
    ],
  };
}

function publishedByEntry(
  published: readonly PublishedFact[],
  season: Season,
): Map<string, Map<string, PublishedFact>> {
  const byEntry = new Map<string, Map<string, PublishedFact>>();
  for (const fact of published) {
    if (!season.tracks.some((track) => track.id === fact.track)) continue;
    const cells = byEntry.get(fact.entry) ?? new Map<string, PublishedFact>();
    const other = cells.get(fact.track);
    if (other !== undefined) {
      throw new Error(`${fact.submission} and ${other.submission} both claim ${fact.entry} on ${fact.track}`);
    }
    byEntry.set(fact.entry, cells.set(fact.track, fact));
  }
  return byEntry;
}

function isBaseline(row: { readonly kind: string }): boolean {
  return row.kind === 'baseline';
}
