import { readFile, stat } from 'node:fs/promises';
import { sha256Hex } from '@vtb/protocol/digest.ts';

/** Answers GET and HEAD of /vtb.mjs. */
export type ServeCliBundle = (ifNoneMatch: string | undefined) => Promise<Response | null>;

interface Loaded {
  readonly changedMs: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/**
 * Serves the command line that outside teams download. Its file is read again when it was built anew.
 *
 * returns  what answers a request: null where no file is built.
 */
export function openCliBundle(file: string): ServeCliBundle {
  let loaded: Loaded | null = null;
  return async (ifNoneMatch) => {
    const found = await stat(file).catch(() => null);
    if (found === null) return null;
    if (loaded?.changedMs !== found.mtimeMs) {
      const bytes = new Uint8Array(await readFile(file));
      loaded = { changedMs: found.mtimeMs, bytes, etag: `"${sha256Hex(bytes).slice(0, 32)}"` };
    }
    const { bytes, etag } = loaded;
    const headers = {
      etag,
      'cache-control': 'public, no-cache',
      'content-type': 'text/javascript; charset=utf-8',
    };
    const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
    if (tags.includes(etag)) return new Response(null, { status: 304, headers });
    return new Response(bytes, { headers: { ...headers, 'content-length': String(bytes.length) } });
  };
}
