import type { RankRange } from './table.ts';

/** "1–3", or "2" where only one rank is left; empty where no comparison covers the ranked rows. */
export function rankRangeText(range: RankRange | null | undefined): string {
  if (range === null || range === undefined) return '';
  return range.low === range.high ? String(range.low) : `${range.low}–${range.high}`;
}
