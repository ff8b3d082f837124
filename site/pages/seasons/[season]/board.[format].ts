import { exportCsv } from '@vtb/protocol/board/exportCsv.ts';
import { exportMarkdown } from '@vtb/protocol/board/exportMarkdown.ts';
import type { APIRoute } from 'astro';
import { type BoardPage, boardPage } from '../../../data/boardPage.ts';
import { bibTex } from '../../../data/citation.ts';

/** A view of the board as a file: the same query as the page's, the same rows, columns and order. */
export const GET: APIRoute = async ({ params, url, locals, rewrite }) => {
  const write = writers.get(params.format ?? '');
  const page = await boardPage({ season: params.season ?? '', query: url.searchParams }, locals);
  if (write === undefined || page === undefined) return rewrite('/404');
  return new Response(write.text(page, url.origin), {
    headers: {
      'content-type': write.type,
      'cache-control': 'public, no-cache',
      'content-disposition': `inline; filename="${page.row.id}-${page.asOf.toISOString().slice(0, 10)}.${params.format}"`,
    },
  });
};

interface Writer {
  readonly type: string;
  readonly text: (page: BoardPage, origin: string) => string;
}

const writers = new Map<string, Writer>([
  ['csv', { type: 'text/csv; charset=utf-8; header=present', text: ({ table }) => exportCsv(table) }],
  ['json', { type: 'application/json', text: ({ table }) => JSON.stringify(table) }],
  ['md', { type: 'text/markdown; charset=utf-8', text: ({ table }) => exportMarkdown(table) }],
  [
    'bib',
    {
      type: 'application/x-bibtex; charset=utf-8',
      text: ({ row, view, asOf, logPosition }, origin) =>
        bibTex({ origin, season: row.season, view, asOf, logPosition }),
    },
  ],
]);
