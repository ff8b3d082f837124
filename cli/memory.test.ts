import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newContest } from '@vtb/gateway/testing/contest.ts';
import { testGateway } from '@vtb/gateway/testing/testGateway.ts';
import { craftGguf } from '@vtb/protocol/system/crafting/craftGguf.ts';
import { afterAll, expect, test } from 'vitest';
import { startVtb } from './testing/childVtb.ts';
import { openDoor } from './testing/door.ts';

const MiB = 1024 * 1024;
/** The proof in full is 40 GiB (VTB_BIG_GIB=40); what grows with the weights would show with a fortieth, too. */
const gib = Number(process.env.VTB_BIG_GIB || 1);
const peakBytesMax = 300 * MiB;
const timeoutMs = 120_000 + gib * 60_000;

const gateway = await testGateway();
const door = await openDoor(gateway.app.fetch);
const { member } = await newContest(gateway);
const home = await mkdtemp(join(tmpdir(), 'vtb-memory-'));
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const vtb = async (...args: string[]) => {
  const child = startVtb([...args, '--json'], {
    env: { VTB_URL: door.url, VTB_TOKEN: member.token, HOME: home },
    timeoutMs,
  });
  return { ...(await child.ended), peakBytes: child.peakBytes() };
};

test(
  'a sparse system as large as they come is sent in bounded memory, and what repeats is sent once',
  async () => {
    const dir = await sparseSystem();
    const { code, stdout, stderr, peakBytes } = await vtb('submit', dir);
    expect(code, stderr).toBe(0);
    const submission = JSON.parse(stdout);
    expect(submission.state).toBe('checking');
    expect(submission.bytes).toBeGreaterThan(gib * 1024 * MiB);
    const sent = door.requests.filter((request) => request.startsWith('PUT '));
    const zeros = createHash('sha256')
      .update(Buffer.alloc(16 * MiB))
      .digest('hex');
    expect(sent.filter((request) => request.endsWith(zeros))).toHaveLength(1);
    expect(sent, 'system.toml, the header, zeros').toHaveLength(3);
    process.stderr.write(`submit of ${gib} GiB: peak ${Math.round(peakBytes / MiB)} MiB\n`);
    expect(peakBytes).toBeGreaterThan(20 * MiB);
    expect(peakBytes).toBeLessThanOrEqual(peakBytesMax);
  },
  timeoutMs,
);

test(
  'inspecting it takes no more',
  async () => {
    const { code, stdout, peakBytes } = await vtb('check', await sparseSystem());
    // It is no wordmath model, which is found after every number was read.
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error.code).toBe('system.refused');
    process.stderr.write(`check of ${gib} GiB: peak ${Math.round(peakBytes / MiB)} MiB\n`);
    expect(peakBytes).toBeGreaterThan(20 * MiB);
    expect(peakBytes).toBeLessThanOrEqual(peakBytesMax);
  },
  timeoutMs,
);

test(
  'nor does sending many full chunks that all differ',
  async () => {
    const dir = await sparseSystem();
    const count = 16;
    await using handle = await open(join(dir, 'weights/model.gguf'), 'r+');
    for (let chunk = 0; chunk < count; chunk++)
      await handle.write(randomBytes(MiB), 0, MiB, (chunk * 16 + 1) * MiB);
    const before = door.requests.length;
    const { code, stderr, peakBytes } = await vtb('submit', dir);
    expect(code, stderr).toBe(0);
    const sent = door.requests.slice(before).filter((request) => request.startsWith('PUT '));
    expect(sent, 'the rest is there already').toHaveLength(count);
    process.stderr.write(`submit of ${count} distinct chunks: peak ${Math.round(peakBytes / MiB)} MiB\n`);
    expect(peakBytes).toBeLessThanOrEqual(peakBytesMax);
  },
  timeoutMs,
);

/** A sound GGUF of tensors of 256 MiB, whose zeros are holes. */
async function sparseSystem(): Promise<string> {
  const dir = await mkdtemp(join(home, 'system-'));
  await mkdir(join(dir, 'weights'));
  const tensorBytes = 256 * MiB;
  const tensors = Array.from({ length: gib * 4 }, (_, index) => ({
    name: `blk.${index}.weight`,
    shape: [tensorBytes / 4],
    type: 0,
    offset: index * tensorBytes,
    bytes: new Uint8Array(),
  }));
  const file = { version: 3, keyCount: null, tensorCount: null, alignment: 32, paddingByte: 0 };
  const header = craftGguf({ ...file, keys: [['general.architecture', ['string', 'llama']]], tensors });
  await using handle = await open(join(dir, 'weights/model.gguf'), 'w');
  await handle.write(header);
  await handle.truncate(header.length + tensors.length * tensorBytes);
  const described = { name: 'big', license: 'MIT', base: 'none', terms: '0'.repeat(64), track: 'wordmath' };
  const lines = Object.entries(described).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  await writeFile(join(dir, 'system.toml'), `${lines.join('')}edits = ["data"]\n`);
  return dir;
}
