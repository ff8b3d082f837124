import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { openIntake } from './intake.ts';
import { receiveVerified } from './receiveVerified.ts';

const opened: Disposable[] = [];
const pace = { graceMs: 300, bytesPerSecondMin: 1_000_000 };
function intakeOf(blocksMax: number) {
  const intake = openIntake({ blocksMax, threadsMax: 1, pace });
  opened.push({ [Symbol.dispose]: () => void intake[Symbol.asyncDispose]() });
  return intake;
}
afterAll(() => {
  for (const one of opened) one[Symbol.dispose]();
});
const signal = new AbortController().signal;
const nowhere = async () => {};

function chunkOf(size: number) {
  const bytes = randomBytes(size);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), size };
}

test('ten chunks at once through memory for two blocks all arrive, whole and in place', async () => {
  const intake = intakeOf(2);
  const arrived = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const chunk = chunkOf(3_300_000);
      const kept = Buffer.alloc(chunk.size);
      const write = async (bytes: Uint8Array, offset: number) => {
        await new Promise((resolve) => setImmediate(resolve));
        kept.set(bytes, offset);
      };
      await receiveVerified({ ...chunk, bytes: Readable.from([chunk.bytes]), signal }, write, intake);
      return kept.equals(chunk.bytes);
    }),
  );
  expect(arrived).toEqual(Array.from({ length: 10 }, () => true));
});

test('a sender that says nothing is cut off as too slow, and holds no memory meanwhile', async () => {
  const intake = intakeOf(1);
  const silent = chunkOf(2_000);
  const line = new PassThrough();
  line.write(silent.bytes.subarray(0, 1_000));
  const slow = expect(
    receiveVerified({ ...silent, bytes: line, signal }, nowhere, intake),
  ).rejects.toMatchObject({ code: 'upload.tooSlow' });
  const quick = chunkOf(100_000);
  await receiveVerified({ ...quick, bytes: Readable.from([quick.bytes]), signal }, nowhere, intake);
  await slow;
  expect(line.destroyed).toBe(false);
});

test('waiting for memory ends with the signal, and a failed write gives its memory back', async () => {
  const intake = intakeOf(1);
  const block = await intake.blocks.take(signal);
  const giveUp = new AbortController();
  const chunk = chunkOf(1_000);
  const waiting = receiveVerified(
    { ...chunk, bytes: Readable.from([chunk.bytes]), signal: giveUp.signal },
    nowhere,
    intake,
  );
  giveUp.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  intake.blocks.giveBack(block);
  const broken = async () => {
    throw new Error('the disk is gone');
  };
  for (let again = 0; again < 3; again++)
    await expect(
      receiveVerified({ ...chunk, bytes: Readable.from([chunk.bytes]), signal }, broken, intake),
    ).rejects.toThrow('the disk is gone');
  await receiveVerified({ ...chunk, bytes: Readable.from([chunk.bytes]), signal }, nowhere, intake);
});
