import { createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Db } from '@vtb/db/public/connect.ts';

/** Where the built site is, and what its pages may read. */
export interface SiteInput {
  readonly entry: string;
  readonly staticDir: string;
  /** A connection of the read-only role. */
  readonly db: Db;
  readonly now: () => Date;
}

interface SiteEntry {
  readonly render: (request: Request, locals: object) => Promise<Response>;
}

/** Opens the built site; null when none is built. Its files come first, its pages after them. */
export async function openSite(input: SiteInput): Promise<((request: Request) => Promise<Response>) | null> {
  const built = await access(input.entry).then(
    () => true,
    () => false,
  );
  if (!built) return null;
  const module: unknown = await import(pathToFileURL(input.entry).href);
  if (!isSiteEntry(module)) throw new Error(`${input.entry} exports no render(request, locals)`);
  return async (request) => {
    const file =
      request.method === 'GET' || request.method === 'HEAD'
        ? await staticFile(input.staticDir, new URL(request.url).pathname)
        : null;
    return file ?? module.render(request, { db: input.db, now: input.now() });
  };
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

/** A built file; those under /assets/ have their digest in their name. */
async function staticFile(folder: string, pathname: string): Promise<Response | null> {
  const type = types[extname(pathname)];
  if (type === undefined || !/^\/[\w./-]+$/.test(pathname) || normalize(pathname) !== pathname) return null;
  const path = join(folder, pathname);
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return null;
  const cache = pathname.startsWith('/assets/')
    ? 'public, max-age=31536000, immutable'
    : 'public, max-age=300';
  return new Response(Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>, {
    headers: { 'content-type': type, 'content-length': String(found.size), 'cache-control': cache },
  });
}

function isSiteEntry(module: unknown): module is SiteEntry {
  return (
    typeof module === 'object' && module !== null && 'render' in module && typeof module.render === 'function'
  );
}
