import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, opendir, rename, rm, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Schema } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { checkPlain, entriesMax, openRefusing, plainFlags, type Spool } from './spool.ts';
import { syncFolder } from './writeWhole.ts';

/** Where a chunk lies, in the spool's shared folder or in one of the grader's own. throws for what is no digest. */
export function chunkPath(folder: string, sha256: string): string {
  if (!sha256Schema.safeParse(sha256).success) throw new Refusal('message.invalid', 'this is no digest');
  return join(folder, sha256);
}

/** The spool's folder of chunks. */
export function chunksOf(spool: Spool): string {
  return join(spool.root, 'chunks');
}

/**
 * Whether the spool has a chunk of this size; then its age starts again, so that it isn't swept while a message
 * that counts on it is on its way.
 */
export async function chunkThere(
  sha256: string,
  size: number | undefined,
  now: Date,
  spool: Spool,
): Promise<boolean> {
  const path = chunkPath(chunksOf(spool), sha256);
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined || !facts.isFile() || (size !== undefined && facts.size !== size)) return false;
  await utimes(path, now, now).catch(() => undefined);
  return true;
}

/**
 * Writes bytes under their digest into a folder, hashed while they come in; whole by rename.
 *
 * throws  Refusal('chunk.mismatch') when they have another digest, Refusal('chunk.size') when there are more than
 *         `sizeMax`; nothing stays behind.
 */
export async function writeChunk(
  input: { readonly folder: string; readonly sha256: string; readonly sizeMax: number },
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { folder, sha256, sizeMax } = input;
  const target = chunkPath(folder, sha256);
  const part = `${target}.${randomBytes(8).toString('hex')}.part`;
  const file = await open(
    part,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of bytes) {
      size += piece.length;
      if (size > sizeMax) throw new Refusal('chunk.size', `a chunk has more than ${sizeMax} bytes`);
      hash.update(piece);
      await file.writeFile(piece);
    }
    if (hash.digest('hex') !== sha256)
      throw new Refusal('chunk.mismatch', 'the bytes do not have that digest');
    await file.datasync();
    await file.close();
    await rename(part, target);
    await syncFolder(folder);
    return size;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Copies a chunk from the spool into a folder of the grader's own, hashing what is copied: what lies there afterwards
 * is what was hashed, whatever happens to the spool's file meanwhile. A file that does not hold is removed from the spool,
 * so that the courier brings the right one with the next order: it doesn't fetch what lies there.
 *
 * size     as the manifest says; null for the manifest itself, then `sizeMax` bounds it.
 * throws   Refusal for a link, a special file, a file with other names, another size or another digest.
 */
export async function takeChunk(
  input: {
    readonly sha256: string;
    readonly size: number | null;
    readonly sizeMax: number;
    readonly into: string;
  },
  spool: Spool,
): Promise<void> {
  const { sha256, into } = input;
  if ((await lstat(chunkPath(into, sha256)).catch(() => undefined))?.isFile()) return;
  const from = chunkPath(chunksOf(spool), sha256);
  try {
    await copyChunk(from, input);
  } catch (error) {
    if (error instanceof Refusal) await unlink(from).catch(() => undefined);
    throw error;
  }
}

async function copyChunk(
  from: string,
  { sha256, size, sizeMax, into }: Parameters<typeof takeChunk>[0],
): Promise<void> {
  const file = await openRefusing(from, plainFlags);
  try {
    const facts = await checkPlain(file, size ?? sizeMax);
    if (size !== null && facts.size !== size)
      throw new Refusal('chunk.size', `a chunk has ${facts.size} bytes, not ${size}`);
    await writeChunk(
      { folder: into, sha256, sizeMax: size ?? sizeMax },
      file.createReadStream({ autoClose: false, start: 0 }),
    );
  } finally {
    await file.close();
  }
}

/** Removes files of a folder of chunks, except those that `keep` says. Bounded; what is left waits for the next sweep. */
export async function sweepChunks(
  folder: string,
  keep: (sha256: string, age: { readonly modifiedAt: Date }) => boolean,
): Promise<number> {
  let seen = 0;
  let removed = 0;
  for await (const entry of await opendir(folder)) {
    seen += 1;
    if (seen > entriesMax * 10) break;
    if (!/^[0-9a-f]{64}(\.[0-9a-f]{16}\.part)?$/.test(entry.name)) continue;
    const path = join(folder, entry.name);
    const facts = await lstat(path).catch(() => undefined);
    if (facts === undefined || facts.isDirectory() || keep(entry.name, { modifiedAt: facts.mtime })) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}
