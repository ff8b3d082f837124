import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openHashPool } from './hashPool.ts';

const folder = await mkdtemp(join(tmpdir(), 'vtb-hash-'));
const bytes = randomBytes(3 * 1024 * 1024 + 17);
const file = join(folder, 'bytes');
await writeFile(file, bytes);
const never = new AbortController().signal;
const pool = openHashPool(never);
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('digests are those of the ranges, in their order, and every byte is told once', async () => {
  const range = fc
    .tuple(fc.nat(bytes.length), fc.nat(bytes.length))
    .map(([one, two]) => ({ offset: Math.min(one, two), size: Math.abs(one - two) }));
  const some = fc.oneof(fc.array(range, { maxLength: 20 }), fc.constant(tiny(3_000)));
  await fc.assert(
    fc.asyncProperty(some, async (ranges) => {
      let told = 0;
      const digests = await pool.hash(file, ranges, (more) => {
        told += more;
      });
      expect(digests).toEqual(
        ranges.map(({ offset, size }) =>
          createHash('sha256')
            .update(bytes.subarray(offset, offset + size))
            .digest('hex'),
        ),
      );
      expect(told).toBe(ranges.reduce((sum, { size }) => sum + size, 0));
    }),
    { numRuns: 20 },
  );
});

test('a file that is shorter than was said is refused, and so is one that is gone', async () => {
  const beyond = [{ offset: bytes.length - 1, size: 2 }];
  await expect(pool.hash(file, beyond, () => undefined)).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('became shorter'),
  });
  await expect(pool.hash(`${file}.gone`, beyond, () => undefined)).rejects.toMatchObject({ kind: 'refused' });
  expect(await pool.hash(file, tiny(1), () => undefined), 'the threads live on').toHaveLength(1);
});

test('what waits ends with the signal', async () => {
  const stop = new AbortController();
  await using stopped = openHashPool(stop.signal);
  const hashing = stopped.hash(file, tiny(5_000), () => stop.abort(new Error('enough')));
  await expect(hashing).rejects.toThrow('enough');
  await expect(stopped.hash(file, tiny(1), () => undefined)).rejects.toThrow('enough');
});

test('a closed pool hashes nothing more, and leaves nobody waiting', async () => {
  const closed = openHashPool(never);
  const waiting = expect(closed.hash(file, tiny(5_000), () => undefined)).rejects.toThrow('closed');
  await closed[Symbol.asyncDispose]();
  await waiting;
  await expect(closed.hash(file, tiny(1), () => undefined)).rejects.toThrow('closed');
});

function tiny(count: number) {
  return Array.from({ length: count }, (_, index) => ({ offset: index, size: 1 }));
}
