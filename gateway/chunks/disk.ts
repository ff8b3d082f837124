/**
 * Theory of operation. A chunk is written under a temporary name in the store's own file system while it is hashed,
 * synced, renamed to its digest, and its folder synced: a name that is there always has all of its bytes, whatever
 * was killed when. Two folders of two digits keep any one folder small.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Intake } from './intake.ts';
import { receiveVerified } from './receiveVerified.ts';
import type { ByteSpan, ChunkStore, IncomingChunk, StoredChunk } from './store.ts';

/** Where the store is, and how much room it leaves free for everything else on that file system. */
export interface DiskStoreConfig {
  readonly root: string;
  readonly freeBytesMin: number;
}

/** A chunk store in a folder. What a killed process left half-written is cleared away at opening. */
export async function openDiskStore(
  config: DiskStoreConfig,
  deps: { readonly intake: Intake },
): Promise<ChunkStore> {
  const incoming = join(config.root, 'incoming');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  for (const name of await readdir(incoming))
    if (await isStale(join(incoming, name))) await rm(join(incoming, name), { force: true });
  const pathOf = (sha256: string) =>
    join(config.root, checked(sha256).slice(0, 2), sha256.slice(2, 4), sha256);
  return {
    put: async (chunk) => {
      const path = pathOf(chunk.sha256);
      await admitBytes(config, chunk.size);
      const temporary = join(incoming, `${chunk.sha256}.${randomBytes(6).toString('hex')}`);
      try {
        await receive(chunk, temporary, deps.intake);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(temporary, path);
        await syncFolder(dirname(path));
      } catch (cause) {
        await rm(temporary, { force: true });
        throw isFull(cause)
          ? new Refusal('store.full', 'the disk filled up meanwhile; try again later')
          : cause;
      }
    },
    get: async (sha256, span) => openSpan(pathOf(sha256), span),
    has: async (sha256) => (await sizeOf(pathOf(sha256))) !== null,
    delete: async (sha256) => {
      const path = pathOf(sha256);
      if ((await sizeOf(path)) === null) return false;
      await rm(path, { force: true });
      return true;
    },
    list: (prefix) => listFolder(join(config.root, checkedPrefix(prefix))),
  };
}

/** No digest, no path: names from outside never reach the file system. */
function checked(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256))
    throw new RangeError('a chunk is named by 64 lowercase hexadecimal digits');
  return sha256;
}

function checkedPrefix(prefix: string): string {
  if (!/^[0-9a-f]{2}$/.test(prefix)) throw new RangeError('a part of the store is named by two digits');
  return prefix;
}

async function* listFolder(path: string): AsyncGenerator<StoredChunk> {
  for (const folder of await namesIn(path)) {
    for (const sha256 of await namesIn(join(path, folder))) {
      const found = await stat(join(path, folder, sha256)).catch(() => null);
      if (found !== null) yield { sha256, size: found.size, storedAt: found.mtime };
    }
  }
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return [];
    throw cause;
  }
}

/** Long after any upload's own time limit. */
const staleMs = 24 * 3_600_000;

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > staleMs;
}

async function admitBytes({ root, freeBytesMin }: DiskStoreConfig, size: number): Promise<void> {
  const { bavail, bsize } = await statfs(root);
  const free = bavail * bsize;
  if (free - size < freeBytesMin) {
    throw new Refusal(
      'store.full',
      `${free} bytes are free and ${freeBytesMin} are kept so; ${size} more don't fit: try again later`,
    );
  }
}

async function receive(chunk: IncomingChunk, path: string, intake: Intake): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await receiveVerified(chunk, (bytes, offset) => writeAll(file, bytes, offset), intake);
  await file.sync();
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, at + done);
    done += bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

async function openSpan(path: string, span: ByteSpan | null): Promise<Readable | null> {
  const size = await sizeOf(path);
  if (size === null) return null;
  if (span !== null && (span.offset < 0 || span.length < 1 || span.offset + span.length > size)) {
    throw new RangeError(`bytes ${span.offset}+${span.length} are not within the chunk's ${size}`);
  }
  return createReadStream(
    path,
    span === null ? {} : { start: span.offset, end: span.offset + span.length - 1 },
  );
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return null;
    throw cause;
  }
}

function isFull(cause: unknown): boolean {
  return hasCode(cause, 'ENOSPC') || hasCode(cause, 'EDQUOT');
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}
