import { type ByteRange, type ReadAt, readBlocks } from './readAt.ts';

/**
 * The offset of the first byte that isn't zero in ranges that must be zero, or null.
 *
 * Padding is no free space: it would carry data that no digest of a tensor shows for what it is.
 */
export async function findNonZero(ranges: readonly ByteRange[], readAt: ReadAt): Promise<number | null> {
  for (const range of ranges) {
    let offset = range.offset;
    for await (const block of readBlocks(range, readAt)) {
      const index = block.findIndex((byte) => byte !== 0);
      if (index !== -1) return offset + index;
      offset += block.length;
    }
  }
  return null;
}
