import { mkdtemp, rm } from 'node:fs/promises';
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
