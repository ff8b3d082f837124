import { randomFillSync } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cutFile } from '@vtb/protocol/system/cutFile.ts';
import { inspectSystem } from '@vtb/protocol/system/inspect.ts';
import { manifestShapeSchema } from '@vtb/protocol/system/manifest.ts';
import { payloadMiB } from './upload/benchConfig.ts';

const rounds = 3;
const blockBytes = 2 ** 20;

/** Bytes a second that inspection takes in (sound safetensors of one file, every value looked at) against reading the file once. */
export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'vtb-bench-inspect-'));
  try {
    const path = join(folder, 'model.safetensors');
    const size = await writeWeights(path, payloadMiB * blockBytes);
    await using file = await open(path, 'r');
    const readFileAt = async (_path: string, offset: number, length: number) => {
      const bytes = new Uint8Array(length);
      await file.read(bytes, 0, length, offset);
      return bytes;
    };
    const cut = await cutFile({ path: 'weights/model.safetensors', size }, (...at) => readFileAt('', ...at));
    const chunks = cut.chunks.map((one) => ({ sha256: '0'.repeat(64), size: one.size }));
    const manifest = manifestShapeSchema.parse({
      schema: 1,
      track: 'bench',
      edits: ['data'],
      files: [{ path: 'weights/model.safetensors', role: 'weights', size, chunks }],
    });
    const rules = { track: 'bench', edits: ['data'], weightsFormat: 'safetensors', base: null } as const;
    const read = async () => {
      for (let offset = 0; offset < size; offset += blockBytes)
        await readFileAt('', offset, Math.min(blockBytes, size - offset));
    };
    const inspect = async () => {
      found = (await inspectSystem({ manifest, rules }, { readFileAt })).problems.map(({ code }) => code);
    };
    let found: readonly string[] = [];
    const times = { read: 0, inspect: 0 };
    for (let round = 0; round <= rounds; round++) {
      const [readMs, inspectMs] = [await timed(read), await timed(inspect)];
      if (round === 0) continue;
      times.read += readMs;
      times.inspect += inspectMs;
    }
    const rate = (ms: number) => (size * rounds) / 1e6 / (ms / 1000);
    return {
      name: 'inspection against reading once',
      ratio: times.read / times.inspect,
      goal: null,
      detail: {
        payloadMiB,
        inspectionMBPerSecond: rate(times.inspect),
        readMBPerSecond: rate(times.read),
        rounds,
        problems: found.join(' '),
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One tensor of small random numbers in 16 bits. returns the file's size. */
async function writeWeights(path: string, bytes: number): Promise<number> {
  const header = Buffer.from(
    JSON.stringify({ w: { dtype: 'BF16', shape: [bytes / 2], data_offsets: [0, bytes] } }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  await using file = await open(path, 'w');
  await file.write(Buffer.concat([length, header]));
  const block = randomFillSync(Buffer.alloc(blockBytes));
  // Exponents of finite numbers alone.
  for (let index = 1; index < block.length; index += 2) block[index] = (block[index] ?? 0) & 0xbf;
  for (let left = bytes; left > 0; left -= blockBytes) await file.write(block);
  return 8 + header.length + bytes;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
