import { readFile } from 'node:fs/promises';
import { orderSchema } from '@vtb/protocol/messages/order.ts';
import type { Chunk } from '@vtb/protocol/system/manifest.ts';
import { readManifest } from '@vtb/protocol/system/readManifest.ts';
import { decodeJwt } from 'jose';
import { replayedChunks } from '../replayedChunks.ts';
import { chunkPath } from '../spoolChunks.ts';

/**
 * The order in a message of the feed, unverified: only to know which chunks to bring. Whether it holds is the grader's
 * to say; undefined for what is no order, which is then carried as it is.
 */
export function orderIn(jws: string): { readonly order: string; readonly system: string } | undefined {
  try {
    return orderSchema.safeParse(decodeJwt(jws)).data;
  } catch {
    return undefined;
  }
}

/** The chunks that a manifest in a folder of chunks asks for; none when it is no manifest. */
export async function chunksInManifest(folder: string, system: string): Promise<readonly Chunk[]> {
  try {
    const reading = readManifest(JSON.parse(await readFile(chunkPath(folder, system), 'utf8')));
    return reading.ok ? replayedChunks(reading.manifest) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
