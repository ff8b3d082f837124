import type { APIRoute } from 'astro';
import { boardPage } from '../../../../data/boardPage.ts';
import { chartOf } from '../../../../data/charts.ts';
import { scatterCsv, scatterSvg } from '../../../../data/scatterSvg.ts';

/** A chart of the board as a file: its drawing, or the numbers it draws. */
export const GET: APIRoute = async ({ params, url, locals, rewrite }) => {
  const page = await boardPage({ season: params.season ?? '', query: url.searchParams }, locals);
  const chart = page === undefined ? undefined : chartOf(params.chart ?? '', page);
  if (chart === undefined) return rewrite('/404');
  const headers = { 'cache-control': 'public, no-cache' };
  switch (params.kind) {
    case 'svg':
      return new Response(scatterSvg(chart, { isFile: true }), {
        headers: { ...headers, 'content-type': 'image/svg+xml' },
      });
    case 'csv':
      return new Response(scatterCsv(chart), {
        headers: { ...headers, 'content-type': 'text/csv; charset=utf-8; header=present' },
      });
    default:
      return rewrite('/404');
  }
};
