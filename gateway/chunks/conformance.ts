import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ChunkStore } from './store.ts';

/** What every chunk store promises; `make` gives an empty one. */
export function chunkStoreConformance(name: string, make: () => Promise<ChunkStore>): void {
  describe(`chunk store ${name}`, () => {
    test('gives back what was put, whole and by span', async () => {
      const store = await make();
      const bytes = randomBytes(300_000);
      await store.put(incoming(bytes));
      expect(await collect(await store.get(digest(bytes), null))).toEqual(bytes);
      expect(await collect(await store.get(digest(bytes), { offset: 65_535, length: 2 }))).toEqual(
        bytes.subarray(65_535, 65_537),
      );
      expect(await collect(await store.get(digest(bytes), { offset: 299_999, length: 1 }))).toEqual(
        bytes.subarray(299_999),
      );
    });

    test('has nothing that was not put', async () => {
      const store = await make();
      expect(await store.has(digest(Buffer.from('x')))).toBe(false);
      expect(await store.get(digest(Buffer.from('x')), null)).toBeNull();
      expect(await store.delete(digest(Buffer.from('x')))).toBe(false);
    });

    test.each([
      [
        'another digest',
        (bytes: Buffer) => ({ ...incoming(bytes), sha256: digest(Buffer.from('other')) }),
        'chunk.mismatch',
      ],
      ['fewer bytes', (bytes: Buffer) => ({ ...incoming(bytes), size: bytes.length + 1 }), 'chunk.size'],
      ['more bytes', (bytes: Buffer) => ({ ...incoming(bytes), size: bytes.length - 1 }), 'chunk.size'],
    ])('refuses %s and keeps nothing', async (_what, spoil, code) => {
      const store = await make();
      const chunk = spoil(randomBytes(100_000));
      await expect(store.put(chunk)).rejects.toMatchObject({ code });
      expect(await store.has(chunk.sha256)).toBe(false);
    });

    test('keeps nothing of an upload that breaks off', async () => {
      const store = await make();
      const bytes = randomBytes(200_000);
      async function* broken() {
        yield bytes.subarray(0, 100_000);
        throw new Error('the line went dead');
      }
      await expect(store.put({ ...incoming(bytes), bytes: Readable.from(broken()) })).rejects.toThrow(
        'the line went dead',
      );
      expect(await store.has(digest(bytes))).toBe(false);
    });

    test('keeps nothing of an upload that is given up', async () => {
      const store = await make();
      const bytes = randomBytes(200_000);
      const giveUp = new AbortController();
      async function* half() {
        yield bytes.subarray(0, 100_000);
        giveUp.abort();
        yield bytes.subarray(100_000);
      }
      await expect(
        store.put({ ...incoming(bytes), bytes: Readable.from(half()), signal: giveUp.signal }),
      ).rejects.toThrow();
      expect(await store.has(digest(bytes))).toBe(false);
    });

    test('the same chunk twice, also at once, is there once', async () => {
      const store = await make();
      const bytes = randomBytes(150_000);
      await Promise.all([store.put(incoming(bytes)), store.put(incoming(bytes)), store.put(incoming(bytes))]);
      await store.put(incoming(bytes));
      expect(await collect(await store.get(digest(bytes), null))).toEqual(bytes);
      expect(await store.delete(digest(bytes))).toBe(true);
      expect(await store.has(digest(bytes))).toBe(false);
    });

    test('a second put still refuses bytes that are not the chunk: possession is not proven by a name', async () => {
      const store = await make();
      const bytes = randomBytes(1_000);
      await store.put(incoming(bytes));
      await expect(
        store.put({ ...incoming(randomBytes(1_000)), sha256: digest(bytes) }),
      ).rejects.toMatchObject({ code: 'chunk.mismatch' });
      expect(await collect(await store.get(digest(bytes), null))).toEqual(bytes);
    });

    test('lists what is there by the first two digits', async () => {
      const store = await make();
      const all = Array.from({ length: 5 }, () => randomBytes(1_000));
      for (const bytes of all) await store.put(incoming(bytes));
      const found: string[] = [];
      for (const prefix of new Set(all.map((bytes) => digest(bytes).slice(0, 2)))) {
        for await (const { sha256, size, storedAt } of store.list(prefix)) {
          expect(sha256.startsWith(prefix)).toBe(true);
          expect(size).toBe(1_000);
          expect(Math.abs(Date.now() - storedAt.getTime())).toBeLessThan(60_000);
          found.push(sha256);
        }
      }
      expect(found.sort()).toEqual(all.map(digest).sort());
    });

    test.each(['../../etc/passwd', 'A'.repeat(64), ''])('takes no name but a digest: %j', async (sha256) => {
      const store = await make();
      await expect(store.has(sha256)).rejects.toThrow(RangeError);
      await expect(store.get(sha256, null)).rejects.toThrow(RangeError);
      await expect(store.put({ ...incoming(Buffer.from('x')), sha256 })).rejects.toThrow(RangeError);
    });
  });
}

function incoming(bytes: Buffer) {
  // In parts, as a socket gives them.
  const parts = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, part) =>
    bytes.subarray(part * 65_536, (part + 1) * 65_536),
  );
  return {
    sha256: digest(bytes),
    size: bytes.length,
    bytes: Readable.from(parts),
    signal: new AbortController().signal,
  };
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function collect(stream: Readable | null): Promise<Buffer> {
  return Buffer.concat((await stream?.toArray()) ?? []);
}
