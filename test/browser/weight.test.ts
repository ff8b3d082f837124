import { gzipSync } from 'node:zlib';
import { upsertSeason } from '@vtb/db/public/seasonRows.ts';
import { exampleSeason } from '@vtb/protocol/board/exampleSeason.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { expect, it } from 'vitest';
import { publishRows } from './publishedRows.ts';
import { servedSite } from './servedSite.ts';

const kibibyte = 1024;
const { gateway, origin } = await servedSite(['pocket']);
const tracks = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];

async function season(id: string, rows: number): Promise<string> {
  const document = {
    ...exampleSeason(tracks),
    id,
    columns: ['avg', ...tracks, 'hours', 'researchTokens', 'replayTokens', 'finalsUsed'],
  };
  await upsertSeason({ id, definition: sha256Hex(id), document, at: gateway.clock.at }, gateway.deps.db);
  const row = (index: number) => ({
    agent: `Agent number ${index}`,
    harness: index % 3 === 0 ? null : 'Claude Code',
    solved: Object.fromEntries(tracks.map((track, place) => [track, (index * (37 + place * 18)) % 200])),
    researchTokens: index % 4 === 0 ? null : index * 12_345,
  });
  await publishRows(
    { season: id, rows: Array.from({ length: rows }, (_, index) => row(index + 1)) },
    gateway,
  );
  return (await fetch(`${origin}/seasons/${id}`)).text();
}

async function bytesOf(html: string, kind: RegExp): Promise<number> {
  const files = [...html.matchAll(kind)].map(([, path]) => path ?? '');
  const sizes = files.map(
    async (path) => gzipSync(Buffer.from(await (await fetch(origin + path)).arrayBuffer())).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

it('a board page with 100 rows is at most 60 KiB of HTML and CSS, gzipped, and 30 KiB of script', async () => {
  const html = await season('hundred', 100);
  const styles = await bytesOf(html, /<link[^>]+href="([^"]+\.css)"/g);
  expect(styles).toBeGreaterThan(0);
  expect(gzipSync(html).length + styles).toBeLessThanOrEqual(60 * kibibyte);
  expect(await bytesOf(html, /<script[^>]+src="([^"]+)"/g)).toBeLessThanOrEqual(30 * kibibyte);
  expect(html).not.toMatch(/<script(?![^>]+src=)|\son\w+=/);
});

it.each([1, 12, 1_000])('a board of %i rows shows every one of them once', async (rows) => {
  const html = await season(`rows-${rows}`, rows);
  const names = [...html.matchAll(/<a href="\/entries\/[^"]+"><bdi>(Agent number \d+)<\/bdi><\/a>/g)].map(
    ([, name]) => name,
  );
  const inBoard = names.slice(0, rows);
  expect(new Set(inBoard).size).toBe(rows);
});
