import { type ByteRange, type ReadAt, readBlocks } from './readAt.ts';

/** A range that is known to be small as text, or null when it is not UTF-8. A byte order mark is kept. */
export async function readText(range: ByteRange, readAt: ReadAt): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const pieces: string[] = [];
  for await (const block of readBlocks(range, readAt)) {
    const piece = decoded(() => decoder.decode(block, { stream: true }));
    if (piece === null) return null;
    pieces.push(piece);
  }
  const last = decoded(() => decoder.decode());
  return last === null ? null : pieces.join('') + last;
}

function decoded(decode: () => string): string | null {
  try {
    return decode();
  } catch {
    // A fatal decoder throws for nothing but bytes that are not UTF-8.
    return null;
  }
}
