import { readSeason, readSeasons, type SeasonRow } from '@vtb/db/public/read/board.ts';
import { readRankedBoard } from '@vtb/db/public/read/rankedBoard.ts';
import { exportCsv } from '@vtb/protocol/board/exportCsv.ts';
import { exportMarkdown } from '@vtb/protocol/board/exportMarkdown.ts';
import type { BoardTable } from '@vtb/protocol/board/table.ts';
import { sha256Schema } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { instantSchema } from '@vtb/protocol/ids.ts';
import { isPreview } from '@vtb/protocol/season/finalsClosed.ts';
import { metricLabel } from '@vtb/protocol/season/settings.ts';
import { type BoardFormat, boardFormats, type SeasonList } from '@vtb/protocol/wire/board.ts';
import { z } from 'zod';
import type { Action } from '../frame/route.ts';
import { queryOf } from './queryOf.ts';

/** GET /seasons */
export const getSeasons: Action<null, SeasonList> = async (_call, deps, tx) => {
  const rows = await readSeasons(tx);
  return { seasons: rows.filter(({ id }) => deps.seasons.has(id)).map(seasonView) };
};

/**
 * GET /seasons/:id/board?asOf=&format=: the table everybody shows. Without `asOf` it is the board as of its last change,
 * so that one version is one text; its ETag is made of the season's digest and the board's version.
 */
export const getBoard: Action<null, BoardTable> = async (call, _deps, tx) => {
  const { asOf, format = 'json' } = queryOf(call.query, {
    asOf: instantSchema.optional(),
    format: z.enum(boardFormats).optional(),
  });
  const found = await readSeason(call.params.id ?? '', tx);
  if (found === undefined) throw new Refusal('season.unknown', 'there is no such season here');
  const at = asOf === undefined ? found.boardChangedAt : new Date(asOf);
  if (at > call.at && asOf !== undefined)
    throw new Refusal(
      'request.invalid',
      `asOf is ${asOf}, which has not come yet; it is ${call.at.toISOString()}`,
    );
  const etag = boardTag(found, format, asOf);
  const headers = { etag, 'cache-control': 'public, no-cache', 'content-type': contentTypes[format] };
  if (isKnown(call.raw.header('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const table = await readRankedBoard({ season: found.season, asOf: at }, tx);
  return new Response(writers[format](table), { headers });
};

const contentTypes: Readonly<Record<BoardFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8; header=present',
  md: 'text/markdown; charset=utf-8',
};

const writers: Readonly<Record<BoardFormat, (table: BoardTable) => string>> = {
  json: (table) => JSON.stringify(table),
  csv: exportCsv,
  md: exportMarkdown,
};

function boardTag(row: SeasonRow, format: BoardFormat, asOf: string | undefined): string {
  return `"${row.definition.slice(0, 16)}-${row.boardVersion}-${format}${asOf === undefined ? '' : `-${Date.parse(asOf)}`}"`;
}

function isKnown(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}

function seasonView({
  id,
  definition,
  season,
  boardVersion,
  boardChangedAt,
}: SeasonRow): SeasonList['seasons'][number] {
  const { title, tagline, status, opensAt, closesAt } = season;
  return {
    id,
    title,
    tagline,
    status,
    opensAt: new Date(opensAt).toISOString(),
    closesAt: new Date(closesAt).toISOString(),
    definition: sha256Schema.parse(definition),
    tracks: season.tracks.map((track) => ({
      id: track.id,
      title: track.title,
      preview: isPreview(season, track),
      budgetHours: track.budgetHours,
      metric: metricLabel(track.settings),
    })),
    boardVersion,
    boardChangedAt: boardChangedAt.toISOString(),
  };
}
