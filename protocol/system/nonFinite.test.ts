import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryReadAt } from './crafting/memoryFiles.ts';
import { findNonFinite } from './nonFinite.ts';
import { type Dtype, dtypeBytes } from './tensor.ts';

const mebibyte = 1024 * 1024;

function find(bytes: Uint8Array, dtype: Dtype, offset: number) {
  const tensor = { name: 't', dtype, shape: [], size: bytes.length - offset, offset };
  return findNonFinite(tensor, memoryReadAt(bytes, { calls: 0, bytes: 0 }));
}

/** What a number is, by its bits, written without looking at how the scan does it. */
function meaning(bits: bigint, exponentBits: number, mantissaBits: number): 'NaN' | 'an infinity' | null {
  const exponent = (bits >> BigInt(mantissaBits)) & ((1n << BigInt(exponentBits)) - 1n);
  if (exponent !== (1n << BigInt(exponentBits)) - 1n) return null;
  return (bits & ((1n << BigInt(mantissaBits)) - 1n)) === 0n ? 'an infinity' : 'NaN';
}

test.each([
  ['F16', 5, 10],
  ['BF16', 8, 7],
] as const)(
  'every one of the 65,536 values of %s is judged by IEEE 754',
  async (dtype, exponent, mantissa) => {
    for (let bits = 0; bits < 65_536; bits += 1) {
      const expected = meaning(BigInt(bits), exponent, mantissa);
      // Once in each half of a word.
      for (const at of [0, 1]) {
        const values = new Uint16Array(2);
        values[at] = bits;
        const found = await find(new Uint8Array(values.buffer), dtype, 0);
        if ((found?.kind ?? null) !== expected) expect([bits, found]).toEqual([bits, expected]);
        if (found !== null && found.index !== at) expect([bits, found.index]).toEqual([bits, at]);
      }
    }
  },
);

test.each([
  ['F8_E5M2', 5, 2],
  ['F8_E4M3', 0, 0],
] as const)(
  'every one of the 256 values of %s is judged by the OCP definition',
  async (dtype, exponent, mantissa) => {
    for (let bits = 0; bits < 256; bits += 1) {
      const e4m3 = (bits & 0x7f) === 0x7f ? 'NaN' : null;
      const expected = dtype === 'F8_E4M3' ? e4m3 : meaning(BigInt(bits), exponent, mantissa);
      expect((await find(Uint8Array.of(0, bits), dtype, 0))?.kind ?? null).toBe(expected);
    }
  },
);

test.each([
  ['F32', (view: DataView, value: number) => view.setFloat32(0, value, true)],
  ['F64', (view: DataView, value: number) => view.setFloat64(0, value, true)],
] as const)('%s is judged as Number.isFinite judges it', async (dtype, write) => {
  await fc.assert(
    fc.asyncProperty(fc.double(), async (value) => {
      const bytes = new Uint8Array(dtypeBytes[dtype]);
      const view = new DataView(bytes.buffer);
      write(view, value);
      const stored = dtype === 'F32' ? view.getFloat32(0, true) : view.getFloat64(0, true);
      expect((await find(bytes, dtype, 0)) === null).toBe(Number.isFinite(stored));
    }),
  );
});

test('the first bad element is found wherever it is, at any offset, across blocks', async () => {
  const floats = (['F64', 'F32', 'F16', 'BF16', 'F8_E5M2', 'F8_E4M3'] as const).map((dtype) =>
    fc.constant(dtype),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(...floats), fc.nat(9), fc.nat(2 * mebibyte), async (dtype, offset, seed) => {
      const width = dtypeBytes[dtype];
      const count = Math.floor((mebibyte * 5) / 2 / width);
      const index = seed % count;
      const bytes = new Uint8Array(offset + count * width);
      bytes.fill(0xff, offset + index * width, offset + (index + 1) * width);
      expect(await find(bytes, dtype, offset)).toEqual({ index, kind: 'NaN' });
    }),
    { numRuns: 30 },
  );
});

test('integers are finite whatever their bits', async () => {
  for (const dtype of ['I64', 'U32', 'I16', 'U8', 'BOOL'] as const) {
    expect(await find(new Uint8Array(64).fill(0xff), dtype, 0)).toBeNull();
  }
});

test('a tensor without bytes is finite and costs no read', async () => {
  expect(await find(new Uint8Array(3), 'F32', 3)).toBeNull();
});
