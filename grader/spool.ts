/**
 * Theory of operation. The spool is the air gap: folders that grader and courier (or a person with a drive) share, and
 * through which messages move by rename.
 *
 *     inbox → claimed            from the gateway to the grader; `refused` where one does not hold
 *     outbox → sent              from the grader to the gateway; `refused` where the gateway will never take it
 *     chunks                     bytes named by their SHA-256, for both ways
 *
 * A message is a folder named by its id and enters whole: it is made under `chunks/.new` (the same file system) and renamed
 * in, after the chunks it needs. Whoever shares the spool is not trusted: names are checked before they become
 * paths, folders are opened without following a link and files through the opened folder, and only regular files with
 * one name are read.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, opendir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '@vtb/protocol/errors.ts';
import { idPrefixes } from '@vtb/protocol/ids.ts';
import { syncFolder } from './writeWhole.ts';

/** The folders through which messages move. */
export const spoolFolders = ['inbox', 'claimed', 'outbox', 'sent', 'refused'] as const;
export type SpoolFolder = (typeof spoolFolders)[number];

/** Where a spool is. */
export interface Spool {
  readonly root: string;
}

/** A message is one JWS text, at most this long; a checkpoint of 1,000 leaves is the longest. */
export const messageBytesMax = 8 * 1024 * 1024;
/** Entries looked at in one folder: a folder with more was not filled by us. */
export const entriesMax = 20_000;

const idPattern = new RegExp(
  `^(feed-[0-9]{12}|(${idPrefixes.report}|${idPrefixes.notice}|${idPrefixes.comparison})_[a-km-np-z2-9]{20})$`,
);

/** The spool id of the feed's message with a number. */
export function feedId(number: number): string {
  return `feed-${String(number).padStart(12, '0')}`;
}

/** The number in a feed message's spool id; undefined for other messages. */
export function feedNumber(id: string): number | undefined {
  return id.startsWith('feed-') ? Number(id.slice(5)) : undefined;
}

/** Whether a name is a message's id. Everything that becomes a path is asked this first. */
export function isMessageId(name: string): boolean {
  return idPattern.test(name);
}

/** Makes the folders of a spool where they aren't there; throws when one of them is a link. */
export async function prepareSpool(root: string): Promise<Spool> {
  for (const name of ['', ...spoolFolders, 'chunks', 'chunks/.new']) {
    const path = join(root, name);
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (!(await lstat(path)).isDirectory()) throw new Error(`${path} of the spool is not a folder`);
  }
  return { root };
}

/** Ids of the messages in a folder, ascending; names that are no message's are left out. */
export async function listMessages(folder: SpoolFolder, spool: Spool): Promise<string[]> {
  const ids: string[] = [];
  let seen = 0;
  for await (const entry of await opendir(join(spool.root, folder))) {
    seen += 1;
    if (seen > entriesMax) break;
    if (entry.isDirectory() && isMessageId(entry.name)) ids.push(entry.name);
  }
  return ids.sort();
}

/** Whether a message is in a folder. */
export async function hasMessage(folder: SpoolFolder, id: string, spool: Spool): Promise<boolean> {
  return (await lstat(messagePath(folder, id, spool)).catch(() => undefined))?.isDirectory() === true;
}

/**
 * Puts a message into a folder, whole. Its chunks lie there already.
 *
 * files    texts by name: `message.jws`, and for a report `maintainers.jwe`.
 * returns  false when a message with this id is there already; it is left as it is.
 */
export async function enterMessage(
  folder: SpoolFolder,
  id: string,
  files: Readonly<Record<string, string>>,
  spool: Spool,
): Promise<boolean> {
  const target = messagePath(folder, id, spool);
  if (await hasMessage(folder, id, spool)) return false;
  const made = join(spool.root, 'chunks/.new', `${id}.${randomBytes(8).toString('hex')}`);
  await mkdir(made, { mode: 0o700 });
  try {
    for (const [name, text] of Object.entries(files))
      await writeFile(join(made, name), text, { mode: 0o600, flush: true });
    await syncFolder(made);
    await rename(made, target);
    await syncFolder(join(spool.root, folder));
    return true;
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (isThere(error)) return false;
    throw error;
  }
}

/** Moves a message by rename. One that is at the target already stays; false when there is nothing to move. */
export async function moveMessage(
  from: SpoolFolder,
  to: SpoolFolder,
  id: string,
  spool: Spool,
): Promise<boolean> {
  const [source, target] = [messagePath(from, id, spool), messagePath(to, id, spool)];
  try {
    await rename(source, target);
  } catch (error) {
    if (isMissing(error)) return false;
    if (!isThere(error)) throw error;
    await rm(source, { recursive: true, force: true });
  }
  await syncFolder(join(spool.root, to));
  return true;
}

/** Removes a message from a folder. */
export async function dropMessage(folder: SpoolFolder, id: string, spool: Spool): Promise<void> {
  await rm(messagePath(folder, id, spool), { recursive: true, force: true });
}

/**
 * Reads one file of a message.
 *
 * throws  Refusal('message.invalid') when the folder or the file is a link, the file is not a regular one, has other
 *         names, is too long, or is not UTF-8. Opening never blocks and follows nothing.
 */
export async function readMessage(
  folder: SpoolFolder,
  id: string,
  name: 'message.jws' | 'maintainers.jwe',
  spool: Spool,
): Promise<string> {
  const path = messagePath(folder, id, spool);
  const bytes = await readPlain(path, name, messageBytesMax);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('message.invalid', 'the file is not UTF-8');
  }
}

/** Where a message lies. throws Error for a name that is no message's id: it never becomes a path. */
export function messagePath(folder: SpoolFolder, id: string, spool: Spool): string {
  if (!isMessageId(id)) throw new Refusal('message.invalid', 'this is no message id');
  return join(spool.root, folder, id);
}

async function readPlain(folder: string, name: string, bytesMax: number): Promise<Uint8Array> {
  const directory = await openRefusing(
    folder,
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  );
  try {
    // Through the opened folder, so that swapping it for a link after the check changes nothing.
    const inside =
      process.platform === 'linux' ? `/proc/self/fd/${directory.fd}/${name}` : join(folder, name);
    const file = await openRefusing(inside, plainFlags);
    try {
      const { size } = await checkPlain(file, bytesMax);
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await file.read(bytes, 0, size, 0);
      if (bytesRead !== size) throw new Refusal('message.invalid', 'the file changed while it was read');
      return bytes;
    } finally {
      await file.close();
    }
  } finally {
    await directory.close();
  }
}

/** Opening with these follows no link, waits for no FIFO's other end and takes no terminal. */
export const plainFlags =
  constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Opens a path, or refuses it where the file system says that it is a link or the wrong kind. */
export async function openRefusing(path: string, flags: number) {
  try {
    return await open(path, flags);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENXIO' || code === 'EISDIR')
      throw new Refusal('message.invalid', 'links and special files are not read');
    if (code === 'ENOENT') throw new Refusal('message.invalid', 'the file is not there');
    throw error;
  }
}

/** The facts of an opened file. throws Refusal unless it is a regular file with one name and at most `bytesMax` long. */
export async function checkPlain(file: Awaited<ReturnType<typeof open>>, bytesMax: number) {
  const facts = await file.stat();
  if (!facts.isFile()) throw new Refusal('message.invalid', 'only regular files are read');
  if (facts.nlink !== 1) throw new Refusal('message.invalid', 'a file with several names is not read');
  if (facts.size > bytesMax)
    throw new Refusal('message.invalid', `a file of ${facts.size} bytes is over ${bytesMax}`);
  return facts;
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
