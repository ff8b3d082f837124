import type { Manifest, ManifestFile } from '@vtb/protocol/system/manifest.ts';
import type { ReadFileAt } from '@vtb/protocol/system/readAt.ts';
import type { ChunkStore } from '../chunks/store.ts';

interface Layout {
  readonly chunks: ManifestFile['chunks'];
  /** Offset of each chunk in its file. */
  readonly starts: readonly number[];
}

/**
 * Reads a system's files out of a chunk store, chunk by chunk as the manifest says.
 *
 * throws  Error when a chunk isn't in the store (the store lost it), or the signal's reason when aborted.
 */
export function readSystem(manifest: Manifest, chunks: ChunkStore, signal: AbortSignal): ReadFileAt {
  const layouts = new Map(manifest.files.map((file) => [file.path, layoutOf(file)]));
  return async (path, offset, length) => {
    const layout = layouts.get(path);
    if (layout === undefined) throw new Error(`the system has no file ${path}`);
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      signal.throwIfAborted();
      const index = chunkAt(layout.starts, offset + done);
      const chunk = layout.chunks[index];
      if (chunk === undefined) throw new Error(`${path} has no byte ${offset + done}`);
      const from = offset + done - (layout.starts[index] ?? 0);
      const span = { offset: from, length: Math.min(chunk.size - from, length - done) };
      if (span.length < 1) throw new Error(`${path} has no byte ${offset + done}`);
      const part = await chunks.get(chunk.sha256, span);
      if (part === null) throw new Error(`chunk ${chunk.sha256} is not in the store any more`);
      for await (const block of part) {
        bytes.set(block, done);
        done += block.byteLength;
      }
    }
    return bytes;
  };
}

function layoutOf({ chunks }: ManifestFile): Layout {
  let start = 0;
  const starts = chunks.map(({ size }) => {
    start += size;
    return start - size;
  });
  return { chunks, starts };
}

/** The last chunk that starts at or before a byte. */
function chunkAt(starts: readonly number[], byte: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= byte) low = middle;
    else high = middle - 1;
  }
  return low;
}
