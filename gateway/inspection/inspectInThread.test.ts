import { performance } from 'node:perf_hooks';
import { inspectSystem } from '@vtb/protocol/system/inspect.ts';
import type { Manifest } from '@vtb/protocol/system/manifest.ts';
import { manifestShapeSchema } from '@vtb/protocol/system/manifest.ts';
import type { TrackRules } from '@vtb/protocol/system/trackRules.ts';
import { expect, test } from 'vitest';
import { inspectInThread, inspectionBounds } from './inspectInThread.ts';

const rules: TrackRules = {
  track: 'wordmath',
  edits: ['data', 'trainer'],
  weightsFormat: 'safetensors',
  base: null,
};
const signal = new AbortController().signal;
const bounds = inspectionBounds;

/** A folder of one safetensors file with this header. */
function systemOf(header: string) {
  const text = Buffer.from(header);
  const bytes = Buffer.concat([Buffer.alloc(8), text]);
  bytes.writeBigUInt64LE(BigInt(text.length));
  const manifest: Manifest = manifestShapeSchema.parse({
    schema: 1,
    track: 'wordmath',
    edits: ['data'],
    files: [
      {
        path: 'weights/model.safetensors',
        role: 'weights',
        size: bytes.length,
        chunks: [{ sha256: '0'.repeat(64), size: bytes.length }],
      },
    ],
  });
  const readFileAt = async (_path: string, offset: number, length: number) =>
    new Uint8Array(bytes.subarray(offset, offset + length));
  return { manifest, readFileAt };
}

/** As much as a header may hold, of names that each have to be kept. */
function hostileHeader(bytes: number): string {
  const entries: string[] = [];
  for (let size = 0, index = 0; size < bytes; index++) {
    const entry = `"t${index}":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`;
    entries.push(entry);
    size += entry.length + 1;
  }
  return `{${entries.join(',')}}`;
}

test('the thread finds what the same code finds here', async () => {
  const { manifest, readFileAt } = systemOf('{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}');
  const here = await inspectSystem({ manifest, rules }, { readFileAt });
  expect(here.problems.length).toBeGreaterThan(0);
  expect(await inspectInThread({ manifest, rules }, { readFileAt, signal, bounds })).toEqual(here.problems);
});

test('while a hostile header of 15 MiB is parsed, this thread goes on', async () => {
  const { manifest, readFileAt } = systemOf(hostileHeader(15 * 1024 * 1024));
  const run = async (inspect: () => Promise<unknown>) => {
    const before = performance.eventLoopUtilization();
    await inspect();
    return performance.eventLoopUtilization(before).active;
  };
  const here = await run(() => inspectSystem({ manifest, rules }, { readFileAt }));
  const apart = await run(() => inspectInThread({ manifest, rules }, { readFileAt, signal, bounds }));
  // Sending 15 MiB over is all that is left to do here.
  expect(apart).toBeLessThan(here / 2);
});

test('a system that needs more memory than it may have is refused, and this process lives', async () => {
  const { manifest, readFileAt } = systemOf(hostileHeader(15 * 1024 * 1024));
  const found = await inspectInThread({ manifest, rules }, { readFileAt, signal, bounds: { heapMiB: 8 } });
  expect(found.map(({ code }) => code)).toEqual(['system.inspection']);
});

test('an inspection that is given up ends with its thread, and what reading fails with comes out', async () => {
  const { manifest, readFileAt } = systemOf('{}');
  const giveUp = new AbortController();
  const stopped = inspectInThread(
    { manifest, rules },
    {
      readFileAt: async (...at) => {
        giveUp.abort(new Error('the gateway stops'));
        return readFileAt(...at);
      },
      signal: giveUp.signal,
      bounds,
    },
  );
  await expect(stopped).rejects.toThrow('the gateway stops');
  const broken = async () => {
    throw new Error('chunk 00 is not in the store any more');
  };
  await expect(inspectInThread({ manifest, rules }, { readFileAt: broken, signal, bounds })).rejects.toThrow(
    'not in the store',
  );
});
