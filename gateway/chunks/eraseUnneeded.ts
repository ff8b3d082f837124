import { lockChunk, unneededChunks } from '@vtb/db/public/garbage.ts';
import type { Deps } from '../deps.ts';

/**
 * Erases a chunk's bytes if nobody possesses them and nothing needs them; looks again under the chunk's lock, so that an
 * upload that ends meanwhile either keeps them or learns that they are gone.
 *
 * returns  whether bytes were erased.
 */
export async function eraseUnneeded(sha256: string, deps: Pick<Deps, 'db' | 'chunks'>): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    await lockChunk(sha256, 'alone', tx);
    const [unneeded] = await unneededChunks([sha256], tx);
    return unneeded !== undefined && deps.chunks.delete(sha256);
  });
}
