import { sha256Hex } from '../../digest.ts';
import { cutFile } from '../cutFile.ts';
import type { Manifest, ManifestFile } from '../manifest.ts';
import { roleOfPath } from '../manifestRules.ts';
import { type ReadAt, type ReadFileAt, readBytesMax } from '../readAt.ts';

/** What a counting reader saw. */
export interface ReadCounts {
  calls: number;
  bytes: number;
}

/** Reads bytes in memory, and holds the reader to its contract: within the file, at most 1 MiB at once. */
export function memoryReadAt(bytes: Uint8Array, counts: ReadCounts): ReadAt {
  return async (offset, length) => {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
      throw new RangeError(`read of ${length} at ${offset}`);
    }
    if (offset + length > bytes.length) throw new RangeError(`read past the end: ${length} at ${offset}`);
    if (length > readBytesMax) throw new RangeError(`read of ${length} bytes at once`);
    counts.calls += 1;
    counts.bytes += length;
    return bytes.subarray(offset, offset + length);
  };
}

/** Reads files in memory by their manifest paths. */
export function memoryFiles(files: ReadonlyMap<string, Uint8Array>): ReadFileAt {
  return (path, offset, length) => {
    const bytes = files.get(path);
    if (bytes === undefined) throw new RangeError(`no file ${path}`);
    return memoryReadAt(bytes, { calls: 0, bytes: 0 })(offset, length);
  };
}

/** The manifest of files in memory, cut and hashed as `vtb` does it. */
export async function memoryManifest(
  plan: { readonly track: string; readonly edits: Manifest['edits'] },
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Manifest> {
  const listed: ManifestFile[] = [];
  for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const cut = await cutFile({ path, size: bytes.length }, memoryReadAt(bytes, { calls: 0, bytes: 0 }));
    const chunks = cut.chunks.map(({ offset, size }) => ({
      sha256: sha256Hex(bytes.subarray(offset, offset + size)),
      size,
    }));
    listed.push({ path, role: roleOfPath(path) ?? 'weights', size: bytes.length, chunks });
  }
  return { schema: 1, track: plan.track, edits: plan.edits, files: listed };
}
