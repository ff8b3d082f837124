import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type Sha256, sha256Schema } from '../digest.ts';
import { groupDigits } from './groupDigits.ts';
import { type ReadAt, readExactly } from './readAt.ts';

/** Enough that a vocabulary takes some fifty reads, little enough to hold for many files at once. */
const blockBytes = 256 * 1024;

/** Reading can't go on: the file ends, or the header is over its bound. The message is a clause. */
export class HeaderEnds extends Error {}

/**
 * Reads a binary header front to back in blocks, and hashes parts of it on the way.
 *
 * Nothing is trusted: every `need` is held against the file's end, and all reads together against
 * `bytesMax`, so a header costs one block of memory and bounded time whatever it claims.
 * Numbers are little-endian. throws HeaderEnds from `need`, `skip` and `jump`.
 */
export class HeaderCursor {
  readonly #size: number;
  readonly #readAt: ReadAt;
  readonly #bytesMax: number;
  #block: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#block.buffer);
  #blockOffset = 0;
  #at = 0;
  #bytesRead = 0;
  #hash: ReturnType<typeof sha256.create> | null = null;
  #hashFrom = 0;

  constructor(
    input: { readonly size: number; readonly bytesMax: number },
    deps: { readonly readAt: ReadAt },
  ) {
    this.#size = input.size;
    this.#bytesMax = input.bytesMax;
    this.#readAt = deps.readAt;
  }

  /** The offset of the next byte in the file. */
  get position(): number {
    return this.#blockOffset + this.#at;
  }

  /** Bytes from here to the file's end. */
  get left(): number {
    return this.#size - this.position;
  }

  /** Bytes that are at hand without another read. */
  get ready(): number {
    return this.#block.length - this.#at;
  }

  /** Makes the next `length` bytes ready; at most a block. */
  async need(length: number): Promise<void> {
    if (this.ready >= length) return;
    if (length > blockBytes) throw new RangeError(`At most ${blockBytes} bytes are read as one`);
    const { position, left } = this;
    if (length > left)
      throw new HeaderEnds(`the file ends at byte ${groupDigits(this.#size)}, within its header`);
    this.#feed();
    const block = await readExactly(position, Math.min(blockBytes, left), this.#readAt);
    // Bytes that were ready are read again; they count, so that tiny steps can't read without end.
    this.#bytesRead += block.length - this.ready;
    if (this.#bytesRead > this.#bytesMax + blockBytes) {
      throw new HeaderEnds(`the header has more than ${groupDigits(this.#bytesMax)} bytes`);
    }
    this.#block = block;
    this.#view = new DataView(block.buffer, block.byteOffset, block.length);
    this.#blockOffset = position;
    this.#at = 0;
    this.#hashFrom = 0;
  }

  /** Passes over bytes, hashing them where a digest is open. */
  async skip(length: number): Promise<void> {
    if (length > this.left)
      throw new HeaderEnds(`${groupDigits(length)} bytes are stated, ${groupDigits(this.left)} are left`);
    for (let rest = length; rest > 0; ) {
      await this.need(1);
      const step = Math.min(rest, this.ready);
      this.#at += step;
      rest -= step;
    }
  }

  /** Passes over bytes without reading them; never within a digest. */
  jump(length: number): void {
    if (length > this.left)
      throw new HeaderEnds(`${groupDigits(length)} bytes are stated, ${groupDigits(this.left)} are left`);
    const position = this.position + length;
    this.#block = new Uint8Array(0);
    this.#blockOffset = position;
    this.#at = 0;
  }

  /** The next bytes; they must be ready, and are good until the next `need`. */
  bytes(length: number): Uint8Array {
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  /** The next u32; it must be ready. */
  u32(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  /** The next u64; it must be ready. */
  u64(): bigint {
    this.#at += 8;
    return this.#view.getBigUint64(this.#at - 8, true);
  }

  /** Begins hashing what is passed from here on. */
  openDigest(): void {
    this.#hash = sha256.create();
    this.#hashFrom = this.#at;
  }

  /** Ends hashing and gives the digest of all bytes passed since it began. */
  closeDigest(): Sha256 {
    this.#feed();
    const hash = this.#hash ?? sha256.create();
    this.#hash = null;
    return sha256Schema.parse(bytesToHex(hash.digest()));
  }

  /** Forgets an open digest. */
  dropDigest(): void {
    this.#hash = null;
  }

  #feed(): void {
    this.#hash?.update(this.#block.subarray(this.#hashFrom, this.#at));
    this.#hashFrom = this.#at;
  }
}
