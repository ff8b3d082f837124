import type { Readable } from 'node:stream';

/** What a `put` is told before the bytes come. */
export interface IncomingChunk {
  readonly sha256: string;
  readonly size: number;
  readonly bytes: Readable;
  /** Gives up and leaves nothing behind. */
  readonly signal: AbortSignal;
}

/** A part of a chunk; the whole when null. */
export interface ByteSpan {
  readonly offset: number;
  readonly length: number;
}

/** A chunk that is there, and since when. */
export interface StoredChunk {
  readonly sha256: string;
  readonly size: number;
  readonly storedAt: Date;
}

/**
 * Keeps bytes by their SHA-256. Every implementation passes `chunkStoreConformance`.
 *
 * put     reads exactly `size` bytes and keeps them only if they have that digest; durable when it resolves; the second
 *         time changes nothing, but the bytes are still read and checked, because sending them is what proves possession.
 *         throws Refusal chunk.size, chunk.mismatch or store.full, and then nothing is kept.
 * get     the bytes, or null where there are none.
 * delete  true when something was there.
 * list    the chunks whose digests start with these two digits, each once, in no order; not those that come or go meanwhile.
 */
export interface ChunkStore {
  put(chunk: IncomingChunk): Promise<void>;
  get(sha256: string, span: ByteSpan | null): Promise<Readable | null>;
  has(sha256: string): Promise<boolean>;
  delete(sha256: string): Promise<boolean>;
  list(prefix: string): AsyncIterable<StoredChunk>;
}
