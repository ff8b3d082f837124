import type { ManifestFile } from '@vtb/protocol/system/manifest.ts';
import type { ReadAt } from '@vtb/protocol/system/readAt.ts';
import { checked, type FetchBytes } from './fetchSystem.ts';

/** One chunk of a file and where it lies there. */
export type PlacedChunk = { readonly sha256: string; readonly offset: number; readonly size: number };

/** A file's chunks with their places; they cover it without holes. */
export function placedChunks(file: Pick<ManifestFile, 'chunks'>): readonly PlacedChunk[] {
  let offset = 0;
  return file.chunks.map(({ sha256, size }) => {
    const placed = { sha256, offset, size };
    offset += size;
    return placed;
  });
}

/** Headers are read front to back, so few chunks are looked at twice: 16 MiB each. */
const heldChunksMax = 2;

/** Reads a chunked file that isn't here: each chunk is fetched when it is first looked at. */
export function chunkedReadAt(file: Pick<ManifestFile, 'chunks'>, fetchBytes: FetchBytes): ReadAt {
  const chunks = placedChunks(file);
  const held = new Map<string, Uint8Array>();
  const bytesOf = async (chunk: PlacedChunk): Promise<Uint8Array> => {
    const found = held.get(chunk.sha256);
    if (found !== undefined) return found;
    const bytes = await checked(chunk.sha256, fetchBytes);
    const [oldest] = held.keys();
    if (held.size >= heldChunksMax && oldest !== undefined) held.delete(oldest);
    held.set(chunk.sha256, bytes);
    return bytes;
  };
  return async (offset, length) => {
    const end = offset + length;
    const parts: Uint8Array[] = [];
    for (const chunk of chunks.filter((c) => c.offset < end && c.offset + c.size > offset)) {
      const bytes = await bytesOf(chunk);
      parts.push(bytes.subarray(Math.max(0, offset - chunk.offset), Math.max(0, end - chunk.offset)));
    }
    return Buffer.concat(parts);
  };
}
