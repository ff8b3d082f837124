import type { Chunk, Manifest } from '@vtb/protocol/system/manifest.ts';

/** What a replay needs of a system: weights and harness, each chunk once. Notes and research logs stay outside. */
export function replayedChunks(manifest: Manifest): Chunk[] {
  const files = manifest.files.filter((file) => file.role === 'weights' || file.role === 'harness');
  return [...new Map(files.flatMap((file) => file.chunks).map((chunk) => [chunk.sha256, chunk])).values()];
}
