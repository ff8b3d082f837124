import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const blockBytes = 1024 * 1024;

/** SHA-256 of a file's bytes as they lie on the disk, in blocks of 1 MiB so that heartbeats go on beside it. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'r');
  try {
    const block = Buffer.alloc(blockBytes);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(block, 0, blockBytes, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(block.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
