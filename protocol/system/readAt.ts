/**
 * Reads bytes of one file: exactly `length` bytes from `offset`.
 *
 * It is called only for ranges inside the file's stated size and for at most `readBytesMax` at once. It
 * rejects when the bytes can't be had or the caller wants to stop; that is never the system's fault.
 */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

/** Reads bytes of one of a system's files, named by its manifest path; otherwise as `ReadAt`. */
export type ReadFileAt = (path: string, offset: number, length: number) => Promise<Uint8Array>;

/** A range of a file's bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly size: number;
}

/** The most that is ever asked of a `ReadAt` in one call: 1 MiB, so that memory doesn't follow file sizes. */
export const readBytesMax = 1024 * 1024;

/**
 * A range of any size as blocks of at most `readBytesMax`, one read at a time.
 *
 * throws  Error when fewer or more bytes come than asked for: the store is broken, not the system.
 */
export async function* readBlocks(range: ByteRange, readAt: ReadAt): AsyncGenerator<Uint8Array> {
  const end = range.offset + range.size;
  for (let offset = range.offset; offset < end; offset += readBytesMax) {
    yield await readExactly(offset, Math.min(readBytesMax, end - offset), readAt);
  }
}

/**
 * One range that is known to be small, as one array.
 *
 * throws  Error when fewer or more bytes come than asked for.
 */
export async function readExactly(offset: number, length: number, readAt: ReadAt): Promise<Uint8Array> {
  const bytes = await readAt(offset, length);
  if (bytes.length !== length) {
    throw new Error(
      `The store gave ${bytes.length} bytes at offset ${offset} where ${length} were asked for`,
    );
  }
  return bytes;
}
