import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { cutFile } from '@vtb/protocol/system/cutFile.ts';
import type { MadeSystem } from './contest.ts';

const folder = fileURLToPath(new URL('../../seasons/pocket/systems/initial/', import.meta.url));

/** The pocket season's base as a system: inspection finds nothing wrong with it. */
export async function pocketSystem(): Promise<MadeSystem & { readonly bytes: number }> {
  const chunks: { sha256: string; bytes: Buffer }[] = [];
  const files = [];
  let total = 0;
  for (const [path, role] of [
    ['system.toml', 'description'],
    ['weights/model.gguf', 'weights'],
  ] as const) {
    const bytes = await readFile(folder + path);
    const file = { path, size: bytes.length };
    const cut = await cutFile(file, async (offset, length) => bytes.subarray(offset, offset + length));
    const parts = cut.chunks.map(({ offset, size }) => bytes.subarray(offset, offset + size));
    const named = parts.map((part) => ({
      sha256: createHash('sha256').update(part).digest('hex'),
      bytes: part,
    }));
    files.push({
      path,
      role,
      size: bytes.length,
      chunks: named.map(({ sha256, bytes }) => ({ sha256, size: bytes.length })),
    });
    chunks.push(...named);
    total += bytes.length;
  }
  const manifest = { schema: 1, track: 'wordmath', edits: [], files };
  return {
    manifest,
    chunks: [...new Map(chunks.map((chunk) => [chunk.sha256, chunk])).values()],
    bytes: total,
  };
}
