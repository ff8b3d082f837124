import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  enterMessage,
  feedId,
  hasMessage,
  listMessages,
  messagePath,
  moveMessage,
  prepareSpool,
  readMessage,
  type Spool,
} from './spool.ts';
import { chunkPath, sweepChunks, takeChunk, writeChunk } from './spoolChunks.ts';

let root: string;
let spool: Spool;
let own: string;
const id = feedId(1);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vtb-spool-'));
  spool = await prepareSpool(join(root, 'spool'));
  own = join(root, 'own');
  await mkdir(own);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const bytes = Buffer.from('the bytes that were promised');
const digest = sha256Hex(bytes);
const inChunks = (name: string) => join(spool.root, 'chunks', name);
const take = () => takeChunk({ sha256: digest, size: bytes.length, sizeMax: bytes.length, into: own }, spool);

describe('messages', () => {
  test('enter whole and once: a second one under the same id changes nothing', async () => {
    expect(await enterMessage('inbox', id, { 'message.jws': 'one' }, spool)).toBe(true);
    expect(await enterMessage('inbox', id, { 'message.jws': 'two' }, spool)).toBe(false);
    expect(await readMessage('inbox', id, 'message.jws', spool)).toBe('one');
    expect(await readdir(join(spool.root, 'chunks/.new'))).toEqual([]);
  });

  test('move by rename; one that arrived before stays as it is', async () => {
    await enterMessage('inbox', id, { 'message.jws': 'one' }, spool);
    expect(await moveMessage('inbox', 'claimed', id, spool)).toBe(true);
    await enterMessage('inbox', id, { 'message.jws': 'two' }, spool);
    expect(await moveMessage('inbox', 'claimed', id, spool)).toBe(true);
    expect(await readMessage('claimed', id, 'message.jws', spool)).toBe('one');
    expect(await hasMessage('inbox', id, spool)).toBe(false);
    expect(await moveMessage('inbox', 'claimed', id, spool)).toBe(false);
  });

  test.each(['../x', '..', 'feed-1', 'feed-000000000001/..', '', 'rep_../../etc', `rep_${'a'.repeat(20)}\0`])(
    'an id like %j never becomes a path',
    (name) => {
      expect(() => messagePath('inbox', name, spool)).toThrow(Refusal);
    },
  );

  test('a linked folder, a linked file, a hard link and a FIFO are refused without reading what they point to', async () => {
    const secret = join(root, 'vault.key');
    await writeFile(secret, 'SECRET');
    const path = messagePath('inbox', id, spool);
    const attempts: [string, () => Promise<unknown> | unknown][] = [
      ['file link', () => symlink(secret, join(path, 'message.jws'))],
      ['hard link', () => link(secret, join(path, 'message.jws'))],
      ['FIFO', () => execFileSync('mkfifo', [join(path, 'message.jws')])],
      ['folder', () => mkdir(join(path, 'message.jws'))],
      ['device', () => symlink('/dev/zero', join(path, 'message.jws'))],
    ];
    for (const [what, plant] of attempts) {
      await mkdir(path);
      await plant();
      await expect(readMessage('inbox', id, 'message.jws', spool), what).rejects.toThrow(Refusal);
      await rm(path, { recursive: true });
    }
    await mkdir(join(root, 'elsewhere'));
    await writeFile(join(root, 'elsewhere/message.jws'), 'SECRET');
    await symlink(join(root, 'elsewhere'), path);
    await expect(readMessage('inbox', id, 'message.jws', spool)).rejects.toThrow(Refusal);
    expect(await listMessages('inbox', spool)).toEqual([]);
  });

  test('a message over the bound is refused before it is read', async () => {
    await mkdir(messagePath('inbox', id, spool));
    await writeFile(join(messagePath('inbox', id, spool), 'message.jws'), Buffer.alloc(8 * 1024 * 1024 + 1));
    await expect(readMessage('inbox', id, 'message.jws', spool)).rejects.toThrow(/over/);
  });

  test('names that are no message’s are left alone', async () => {
    await enterMessage('inbox', id, { 'message.jws': 'one' }, spool);
    await mkdir(join(spool.root, 'inbox', 'stranger'));
    await writeFile(join(spool.root, 'inbox', feedId(2)), 'a file');
    expect(await listMessages('inbox', spool)).toEqual([id]);
  });

  test('a spool whose folder is a link is not used', async () => {
    await rm(join(spool.root, 'outbox'), { recursive: true });
    await symlink(own, join(spool.root, 'outbox'));
    await expect(prepareSpool(spool.root)).rejects.toThrow('not a folder');
  });
});

describe('chunks', () => {
  test('that do not hold are removed from the spool, so that the right ones are brought there again', async () => {
    const wrong = Buffer.from(bytes);
    wrong[0] = (wrong[0] ?? 0) ^ 1;
    await writeFile(inChunks(digest), wrong);
    await expect(take()).rejects.toThrow(Refusal);
    expect(await readdir(own)).toEqual([]);
    await expect(readFile(inChunks(digest))).rejects.toThrow(/ENOENT/);
    await writeFile(inChunks(digest), bytes);
    await take();
    expect(await readFile(chunkPath(own, digest))).toEqual(bytes);
  });

  test('are copied as they were hashed: swapping the spool’s file afterwards changes nothing', async () => {
    await writeFile(inChunks(digest), bytes);
    await take();
    await writeFile(inChunks(digest), 'swapped after verification!!');
    await take();
    expect(await readFile(chunkPath(own, digest))).toEqual(bytes);
  });

  test('a file swapped while it is copied either gives the promised bytes or nothing', async () => {
    for (let round = 0; round < 20; round += 1) {
      await writeFile(inChunks(digest), bytes);
      await writeFile(inChunks('evil'), Buffer.alloc(bytes.length, 1));
      await Promise.allSettled([take(), rename(inChunks('evil'), inChunks(digest))]);
      const taken = await readFile(chunkPath(own, digest)).catch(() => undefined);
      if (taken !== undefined) expect(taken).toEqual(bytes);
      await rm(chunkPath(own, digest), { force: true });
    }
  });

  test('with other bytes, another size, as links, FIFOs or hard links are refused, and leave nothing behind', async () => {
    const secret = join(root, 'secret');
    await writeFile(secret, bytes);
    const attempts: [string, () => Promise<unknown> | unknown][] = [
      ['other bytes', () => writeFile(inChunks(digest), Buffer.alloc(bytes.length, 7))],
      ['other size', () => writeFile(inChunks(digest), 'short')],
      ['link', () => symlink(secret, inChunks(digest))],
      ['hard link', () => link(secret, inChunks(digest))],
      ['FIFO', () => execFileSync('mkfifo', [inChunks(digest)])],
      ['folder', () => mkdir(inChunks(digest))],
      ['nothing', () => undefined],
    ];
    for (const [what, plant] of attempts) {
      await plant();
      await expect(take(), what).rejects.toThrow(Refusal);
      expect(await readdir(own), what).toEqual([]);
      await rm(inChunks(digest), { recursive: true, force: true });
    }
    expect(() => chunkPath(own, '../secret')).toThrow(Refusal);
  });

  test('that come with another digest or too long are not there afterwards', async () => {
    const stream = async function* () {
      yield bytes;
    };
    await expect(
      writeChunk({ folder: own, sha256: sha256Hex('other'), sizeMax: 100 }, stream()),
    ).rejects.toThrow(/digest/);
    await expect(writeChunk({ folder: own, sha256: digest, sizeMax: 3 }, stream())).rejects.toThrow(
      /more than 3/,
    );
    expect(await readdir(own)).toEqual([]);
  });

  test('are swept only when nothing needs them; foreign files stay', async () => {
    await writeFile(join(own, digest), bytes);
    await writeFile(join(own, sha256Hex('needed')), bytes);
    await writeFile(join(own, 'note.txt'), 'x');
    expect(await sweepChunks(own, (sha256) => sha256 === sha256Hex('needed'))).toBe(1);
    expect((await readdir(own)).sort()).toEqual([sha256Hex('needed'), 'note.txt'].sort());
  });
});
