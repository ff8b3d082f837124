import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from '../digest.ts';
import { canonicalCut, checkCut, tensorDigest, tensorDigests } from './cut.ts';
import { systemLimits } from './limits.ts';
import type { Layout, PlacedTensor } from './tensor.ts';

const mebibyte = 1024 * 1024;
const chunkMax = 16 * mebibyte;

function placed(name: string, offset: number, size: number): PlacedTensor {
  return { name, dtype: 'U8', shape: [size], size, offset };
}

function layout(fileSize: number, dataOffset: number, tensors: readonly PlacedTensor[]): Layout {
  return { fileSize, dataOffset, tensors, padding: [] };
}

test('the header is one run, each tensor a run of its own, and padding belongs to the run before it', () => {
  const cut = canonicalCut(1_000, layout(1_000, 96, [placed('a', 96, 100), placed('b', 224, 700)]));
  expect(cut.runs).toEqual([
    { tensor: null, offset: 0, size: 96, firstChunk: 0, chunkCount: 1 },
    { tensor: 'a', offset: 96, size: 128, firstChunk: 1, chunkCount: 1 },
    { tensor: 'b', offset: 224, size: 776, firstChunk: 2, chunkCount: 1 },
  ]);
  expect(cut.chunks).toEqual([
    { offset: 0, size: 96 },
    { offset: 96, size: 128 },
    { offset: 224, size: 776 },
  ]);
});

test('a run is split at 16 MiB exactly, and small runs are not packed together', () => {
  const tensors = [
    placed('a', 10, chunkMax),
    placed('b', 10 + chunkMax, chunkMax + 1),
    placed('c', 11 + 2 * chunkMax, 1),
  ];
  const cut = canonicalCut(12 + 2 * chunkMax, layout(12 + 2 * chunkMax, 10, tensors));
  expect(cut.chunks.map(({ size }) => size)).toEqual([10, chunkMax, chunkMax, 1, 1]);
  expect(cut.runs.map(({ firstChunk, chunkCount }) => [firstChunk, chunkCount])).toEqual([
    [0, 1],
    [1, 1],
    [2, 2],
    [4, 1],
  ]);
});

test('a zero-byte tensor has no chunk, and its digest is that of the empty list', () => {
  const place = layout(30, 10, [placed('none', 10, 0), placed('a', 10, 20), placed('last', 30, 0)]);
  const cut = canonicalCut(30, place);
  expect(cut.runs.map(({ tensor }) => tensor)).toEqual([null, 'a']);
  const chunks = cut.chunks.map(({ size }) => ({ sha256: sha256Hex(String(size)), size }));
  const digests = tensorDigests(place, chunks);
  expect(digests.get('none')).toBe(sha256Hex('[]'));
  expect(digests.get('a')).toBe(sha256Hex(`[{"sha256":"${sha256Hex('20')}","size":20}]`));
});

test('another file is one run, an empty one has no chunk', () => {
  expect(canonicalCut(0, null)).toEqual({ chunks: [], runs: [] });
  expect(canonicalCut(chunkMax + 5, null).chunks.map(({ size }) => size)).toEqual([chunkMax, 5]);
});

test('chunks cover every byte of a file once, in order, within the bound', () => {
  const sizes = fc.array(fc.tuple(fc.nat(3 * chunkMax), fc.nat(64)), { maxLength: 20 });
  fc.assert(
    fc.property(fc.nat(chunkMax * 2), sizes, (headerSize, parts) => {
      let end = headerSize + 1;
      const tensors = parts.map(([size, padding], index) => {
        const tensor = placed(`t${index}`, end, size);
        // Padding after a zero-byte tensor goes to the run before it.
        end += size + padding;
        return tensor;
      });
      const { chunks, runs } = canonicalCut(end, layout(end, headerSize + 1, tensors));
      let position = 0;
      for (const { offset, size } of chunks) {
        expect(offset).toBe(position);
        expect(size).toBeGreaterThan(0);
        expect(size).toBeLessThanOrEqual(chunkMax);
        position += size;
      }
      expect(position).toBe(end);
      for (const run of runs) {
        const own = chunks.slice(run.firstChunk, run.firstChunk + run.chunkCount);
        expect(own[0]?.offset).toBe(run.offset);
        expect(own.reduce((sum, { size }) => sum + size, 0)).toBe(run.size);
      }
    }),
  );
});

test('a changed tensor changes its own chunks and no others', () => {
  const place = layout(300, 100, [placed('a', 100, 100), placed('b', 200, 100)]);
  const chunks = [1, 2, 3].map((id) => ({ sha256: sha256Hex(String(id)), size: 100 }));
  const changed = chunks.with(1, { sha256: sha256Hex('other'), size: 100 });
  expect(tensorDigests(place, changed).get('b')).toBe(tensorDigests(place, chunks).get('b'));
  expect(tensorDigests(place, changed).get('a')).not.toBe(tensorDigests(place, chunks).get('a'));
});

test('chunks that follow another cut are refused with the place and both sizes', () => {
  const cut = canonicalCut(300, layout(300, 100, [placed('a', 100, 100), placed('b', 200, 100)]));
  const chunk = (size: number) => ({ sha256: sha256Hex('x'), size });
  expect(checkCut(cut, [chunk(100), chunk(100), chunk(100)])).toBeNull();
  expect(checkCut(cut, [chunk(100), chunk(200)])).toBe(
    'chunk 1 (tensor "a") has 200 bytes where the canonical cut has 100',
  );
  expect(checkCut(cut, [chunk(100)])).toContain('has no bytes where the canonical cut has 100');
  expect(checkCut(cut, [chunk(300)])).toContain('chunk 0 (the first run) has 300 bytes');
  expect(checkCut(cut, [chunk(100), chunk(100), chunk(100), chunk(1)])).toBe(
    'has 4 chunks where the canonical cut has 3',
  );
  expect(() => tensorDigests(layout(300, 100, []), [chunk(100), chunk(200)])).toThrow(RangeError);
});

test('a tensor’s digest is that of its chunk list and of nothing beside it', () => {
  const chunk = { sha256: sha256Hex('x'), size: 1 };
  expect(tensorDigest([chunk])).toBe(tensorDigest([{ ...chunk, note: 'ignored' } as never]));
});

test('a file over the bound is not cut', () => {
  expect(() => canonicalCut(systemLimits.fileBytesMax + 1, null)).toThrow(RangeError);
});
