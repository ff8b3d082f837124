import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { chunkStoreConformance } from './conformance.ts';
import { openDiskStore } from './disk.ts';
import { intakeDefaults, openIntake } from './intake.ts';

const intake = openIntake(intakeDefaults);
afterAll(() => intake[Symbol.asyncDispose]());
const base = await mkdtemp(join(tmpdir(), 'vtb-chunks-'));
afterAll(() => rm(base, { recursive: true, force: true }));
const newRoot = () => mkdtemp(join(base, 'store-'));

chunkStoreConformance('disk', async () =>
  openDiskStore({ root: await newRoot(), freeBytesMin: 0 }, { intake }),
);

test('an upload that would eat into the room kept free is refused before a byte is read', async () => {
  const store = await openDiskStore(
    { root: await newRoot(), freeBytesMin: Number.MAX_SAFE_INTEGER },
    { intake },
  );
  const bytes = new Readable({ read: () => expect.unreachable('a byte was read') });
  await expect(
    store.put({ sha256: '0'.repeat(64), size: 1, bytes, signal: new AbortController().signal }),
  ).rejects.toMatchObject({ code: 'store.full' });
});

/** Root may, unless the container it is in forbids it. */
async function mayMount(): Promise<boolean> {
  const folder = await newRoot();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  }
}

const canMount = await mayMount();

test.skipIf(!canMount)(
  `a disk that fills up while chunks come refuses them as full and keeps whole chunks alone${canMount ? '' : ' (skipped: needs a mount of its own (enable with: root on Linux))'}`,
  async () => {
    const root = await newRoot();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', root]);
    try {
      const store = await openDiskStore({ root, freeBytesMin: 0 }, { intake });
      // Each would fit when it is admitted; together they don't.
      const chunks = Array.from({ length: 4 }, () => randomBytes(2_000_000));
      const named = chunks.map((bytes) => ({
        bytes,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }));
      const ends = await Promise.allSettled(
        named.map(({ bytes, sha256 }) =>
          store.put({
            sha256,
            size: bytes.length,
            bytes: Readable.from([bytes]),
            signal: new AbortController().signal,
          }),
        ),
      );
      const refused = ends.filter((end) => end.status === 'rejected');
      expect(refused.length).toBeGreaterThanOrEqual(3);
      for (const { reason } of refused) expect(reason).toMatchObject({ code: 'store.full' });
      for (const [index, { sha256 }] of named.entries())
        expect(await store.has(sha256)).toBe(ends[index]?.status === 'fulfilled');
      expect(await readdir(join(root, 'incoming'))).toEqual([]);
    } finally {
      execFileSync('umount', [root]);
    }
  },
);
