import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CraftedGguf,
  type CraftedTensor,
  craftGguf,
  joined,
  text,
  u32,
  u64,
} from './crafting/craftGguf.ts';
import { memoryReadAt } from './crafting/memoryFiles.ts';
import { smallGguf, tensor } from './crafting/smallModel.ts';
import { parseGguf } from './gguf.ts';

function parse(bytes: Uint8Array) {
  return parseGguf({ path: 'w.gguf', size: bytes.length }, memoryReadAt(bytes, { calls: 0, bytes: 0 }));
}

async function messagesOf(bytes: Uint8Array): Promise<string> {
  const { problems } = await parse(bytes);
  return problems.map(({ code, message }) => `${code}: ${message}`).join('\n');
}

const withKey = (key: string, value: CraftedGguf['keys'][number][1]): CraftedGguf => ({
  ...smallGguf,
  keys: [...smallGguf.keys, [key, value]],
});

const withTensor = (changed: Partial<CraftedTensor>): CraftedGguf => ({
  ...smallGguf,
  tensors: smallGguf.tensors.map((each, index) => (index === 2 ? { ...each, ...changed } : each)),
});

test('a sound file gives keys with digests, tensors by offset, and its padding', async () => {
  const bytes = craftGguf(smallGguf);
  const { keys, layout, problems, alignment, complete } = await parse(bytes);
  expect(problems).toEqual([]);
  expect([alignment, complete]).toEqual([32, true]);
  expect(keys.map(({ key, type, shown }) => [key, type, shown])).toEqual([
    ['general.architecture', 'string', '"qwen3"'],
    ['general.name', 'string', '"Small"'],
    ['general.sampling.temp', 'float32', '0.6'],
    ['qwen3.block_count', 'uint32', '2'],
    ['qwen3.context_length', 'uint32', '1024'],
    ['tokenizer.ggml.tokens', 'array of string', '3 × string'],
    ['tokenizer.ggml.token_type', 'array of int32', '3 × int32'],
    ['tokenizer.ggml.eos_token_id', 'uint32', '2'],
    ['tokenizer.ggml.add_bos_token', 'bool', 'false'],
    ['tokenizer.chat_template', 'string', '"{{ messages }}"'],
  ]);
  const data = layout?.dataOffset ?? 0;
  expect(data % 32).toBe(0);
  expect(
    layout?.tensors.map(({ name, offset, size, dtype, shape }) => [name, offset - data, size, dtype, shape]),
  ).toEqual([
    ['token_embd.weight', 0, 24, 'F16', [4, 3]],
    ['blk.0.attn_norm.weight', 32, 16, 'F32', [4]],
    ['blk.0.ffn_down.weight', 64, 40, 'F16', [5, 4]],
    ['output_norm.weight', 128, 16, 'F32', [4]],
  ]);
  const covered = [...(layout?.tensors ?? []), ...(layout?.padding ?? [])].reduce(
    (sum, { size }) => sum + size,
    0,
  );
  const headerEnd = layout?.padding[0]?.offset ?? 0;
  expect(headerEnd + covered).toBe(bytes.length);
});

test('a value’s digest is that of its type and bytes, so a type change alone changes it', async () => {
  const digestOf = async (value: CraftedGguf['keys'][number][1]) =>
    (await parse(craftGguf(withKey('k', value)))).keys.at(-1)?.digest;
  expect(await digestOf(['uint32', 1])).not.toBe(await digestOf(['int32', 1]));
  expect(await digestOf(['array', 'int32', [1, 1]])).not.toBe(
    await digestOf(['array', 'uint8', [1, 1, 0, 0, 0, 0, 0, 0]]),
  );
  expect(await digestOf(['strings', ['ab', 'c']])).not.toBe(await digestOf(['strings', ['a', 'bc']]));
  expect(await digestOf(['string', 'x'])).toBe(await digestOf(['string', 'x']));
});

test('a value has one digest wherever blocks of reading happen to end', async () => {
  const long = 'é'.repeat(200_000);
  const tokens = Array.from({ length: 60_000 }, (_, index) => `token${index}`);
  const digests = new Set<string>();
  for (const before of [0, 1, 7, 262_000, 262_137]) {
    const keys: CraftedGguf['keys'] = [
      ['a', ['string', 'x'.repeat(before)]],
      ['long', ['string', long]],
      ['tokens', ['strings', tokens]],
    ];
    const { keys: found, problems } = await parse(craftGguf({ ...smallGguf, keys }));
    expect(problems).toEqual([]);
    digests.add(`${found[1]?.digest} ${found[2]?.digest}`);
  }
  expect(digests.size).toBe(1);
});

test.each<[string, Uint8Array, string]>([
  ['no bytes', new Uint8Array(0), 'ends at byte 0'],
  ['another magic', joined([text('GGML'), new Uint8Array(40)]), 'does not start with "GGUF"'],
  ['version 2', craftGguf({ ...smallGguf, version: 2 }), 'GGUF version 2; only version 3'],
  ['big-endian order', craftGguf({ ...smallGguf, version: 0x03000000 }), 'big-endian'],
  ['2^64 - 1 keys', craftGguf({ ...smallGguf, keyCount: 2n ** 64n - 1n }), '18,446,744,073,709,551,615 keys'],
  ['2^40 tensors', craftGguf({ ...smallGguf, tensorCount: 2n ** 40n }), '1,099,511,627,776 tensors'],
  ['more keys than there are', craftGguf({ ...smallGguf, keyCount: 11n }), 'has a name of'],
  [
    'a key of 2^63 bytes',
    joined([text('GGUF'), u32(3), u64(0), u64(1), u64(2n ** 63n)]),
    'a name of 9,223,372,036,854,775,808 bytes',
  ],
  [
    'a key that is no UTF-8',
    joined([text('GGUF'), u32(3), u64(0), u64(1), u64(1), Uint8Array.of(0xff), new Uint8Array(64)]),
    'not UTF-8',
  ],
  ['a value type 13', craftGguf(withKey('k', ['raw', u32(13)])), 'key "k": has value type 13'],
  [
    'a string of 2^62 bytes',
    craftGguf(withKey('k', ['raw', joined([u32(8), u64(2n ** 62n)])])),
    'a string of 4,611,686,018,427,387,904 bytes',
  ],
  [
    'an array of 2^61 strings',
    craftGguf(withKey('k', ['raw', joined([u32(9), u32(8), u64(2n ** 61n)])])),
    '2,305,843,009,213,693,952 × string',
  ],
  [
    'an array of 2^63 bytes',
    craftGguf(withKey('k', ['raw', joined([u32(9), u32(0), u64(2n ** 63n)])])),
    'are left',
  ],
  [
    'an array of arrays',
    craftGguf(withKey('k', ['raw', joined([u32(9), u32(9), u64(1)])])),
    'array of arrays',
  ],
  ['five dimensions', craftGguf(withTensor({ shape: [1, 1, 1, 5, 4] })), '5 dimensions, not 1 to 4'],
  ['no dimension', craftGguf(withTensor({ shape: [] })), '0 dimensions'],
  [
    'a tensor name of 64 bytes',
    craftGguf(withTensor({ name: 'x'.repeat(64) })),
    'a name of 64 bytes, not 1 to 63',
  ],
  ['no tensor data', craftGguf(smallGguf).slice(0, 700), 'ends at byte 700, within its header'],
])('a file with %s is refused', async (_, bytes, reason) => {
  const { layout } = await parse(bytes);
  expect(layout).toBeNull();
  expect(await messagesOf(bytes)).toContain(reason);
});

test.each<[string, CraftedGguf, string]>([
  ['a key twice', withKey('qwen3.block_count', ['uint32', 2]), 'gguf.keyRepeated: "qwen3.block_count"'],
  ['a bool of 2', withKey('tokenizer.ggml.add_eos_token', ['bool', 2]), 'is a bool of 2, not 0 or 1'],
  [
    'an alignment of 2^31',
    withKey('general.alignment', ['uint32', 2 ** 31]),
    '"general.alignment" is 2147483648',
  ],
  ['an alignment of 0', withKey('general.alignment', ['uint32', 0]), 'power of two'],
  ['an alignment of 48', withKey('general.alignment', ['uint32', 48]), 'power of two'],
  ['an alignment that is a string', withKey('general.alignment', ['string', '32']), 'power of two'],
  ['a tensor twice', withTensor({ name: 'token_embd.weight' }), 'tensor.repeated: "token_embd.weight"'],
  ['a quantized tensor', withTensor({ type: 12 }), 'is quantized (Q4_K)'],
  ['an unknown element type', withTensor({ type: 4 }), 'has element type 4; known are 0 (F32), 1 (F16)'],
  ['a shape larger than the file', withTensor({ shape: [2n ** 63n, 2n] }), 'needs more than the file'],
  [
    'a product that wraps to 0',
    withTensor({ shape: [2n ** 32n, 2n ** 32n, 1n] }),
    'needs more than the file',
  ],
  ['an unsafe dimension beside a zero', withTensor({ shape: [2n ** 63n, 0n] }), 'needs more than the file'],
  ['a shape that needs fewer bytes', withTensor({ shape: [4, 2] }), 'belong to nothing'],
  ['a shape that needs more bytes', withTensor({ shape: [36, 1] }), 'inside the tensor'],
  [
    'an offset of 2^64 - 1',
    withTensor({ offset: 2n ** 64n - 1n }),
    'starts 18,446,744,073,709,551,615 bytes into',
  ],
  ['an unaligned offset', withTensor({ offset: 66 }), 'not aligned to 32'],
  ['an overlap', withTensor({ offset: 32 }), 'inside the tensor'],
  ['an end outside the file', withTensor({ shape: [100, 1] }), 'ends at byte'],
  ['a hole', withTensor({ offset: 96 }), 'belong to nothing'],
])('a file with %s is refused', async (_, file, reason) => {
  expect(await messagesOf(craftGguf(file))).toContain(reason);
});

test('bytes behind the last tensor are refused, its own padding may be there or not', async () => {
  const bytes = craftGguf(smallGguf);
  expect(await messagesOf(joined([bytes, new Uint8Array(32)]))).toContain('the tensors end at byte');
  expect(await messagesOf(bytes.slice(0, -1))).toContain('the tensors end at byte');
  expect(await messagesOf(bytes.slice(0, -16))).toBe('');
});

test('tensors may be listed in another order than they are stored', async () => {
  const listed = smallGguf.tensors.map((each, index) => ({ ...each, offset: [0, 32, 64, 128][index] ?? 0 }));
  const bytes = craftGguf({ ...smallGguf, tensors: listed });
  expect((await parse(bytes)).problems).toEqual([]);
  const swapped = craftGguf({
    ...smallGguf,
    tensors: [tensor('a', [8], 0), tensor('b', [8], 0)].map((each, index) => ({
      ...each,
      offset: 32 - 32 * index,
    })),
  });
  expect((await parse(swapped)).layout?.tensors.map(({ name }) => name)).toEqual(['b', 'a']);
});

test('an array over its bound is refused by name, and what follows it is still read', async () => {
  const huge = joined([u32(9), u32(0), u64(5_000_000), new Uint8Array(5_000_000)]);
  const bytes = craftGguf({
    ...smallGguf,
    keys: [
      ['huge', ['raw', huge]],
      ['qwen3.block_count', ['bool', 3]],
    ],
  });
  const counts = { calls: 0, bytes: 0 };
  const { problems, layout } = await parseGguf(
    { path: 'w.gguf', size: bytes.length },
    memoryReadAt(bytes, counts),
  );
  expect(problems.map(({ at }) => at)).toEqual(['w.gguf # "huge"', 'w.gguf # "qwen3.block_count"']);
  expect(layout).not.toBeNull();
  expect(counts.bytes).toBeLessThan(1_100_000);
});

test('a header over its bound is given up after reading the bound and no more', async () => {
  const size = 200 * 1024 * 1024;
  const strings = joined([text('GGUF'), u32(3), u64(0), u64(1_024)]);
  const key = joined([u64(1), text('k'), u32(8), u64(1024 * 1024)]);
  let read = 0;
  const readAt = async (offset: number, length: number) => {
    read += length;
    const bytes = new Uint8Array(length);
    const period = key.length + 1024 * 1024;
    for (let at = 0; at < length; at += 1) {
      const position = offset + at - strings.length;
      if (position < 0) bytes[at] = strings[offset + at] ?? 0;
      else if (position % period < key.length) bytes[at] = key[position % period] ?? 0;
      else at += Math.min(period - (position % period), length - at) - 1;
    }
    return bytes;
  };
  const { problems, complete } = await parseGguf({ path: 'w.gguf', size }, readAt);
  expect(complete).toBe(false);
  expect(problems[0]?.message).toContain('the header has more than 67,108,864 bytes');
  expect(read).toBeLessThan(65 * 1024 * 1024);
});

test('whatever bytes a file has, parsing ends with a sound layout or with problems, in bounded reads', async () => {
  const sound = craftGguf(smallGguf);
  const edit = fc.record({
    at: fc.nat(sound.length - 1),
    byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 255)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 5 }), fc.nat(40), async (edits, cut) => {
      const bytes = sound.slice(0, sound.length - cut);
      for (const { at, byte } of edits) if (at < bytes.length) bytes[at] = byte;
      const counts = { calls: 0, bytes: 0 };
      const parsed = await parseGguf({ path: 'w.gguf', size: bytes.length }, memoryReadAt(bytes, counts));
      if (parsed.layout === null) expect(parsed.problems.length).toBeGreaterThan(0);
      expect(counts.bytes).toBeLessThanOrEqual(4 * bytes.length + 64);
      if (parsed.layout === null) return;
      const { tensors, padding, dataOffset } = parsed.layout;
      const parts = [...tensors, ...padding]
        .filter(({ size }) => size > 0)
        .sort((a, b) => a.offset - b.offset);
      let end = parts[0]?.offset ?? bytes.length;
      for (const part of parts) {
        expect(part.offset).toBe(end);
        end += part.size;
      }
      expect(end).toBe(bytes.length);
      expect(dataOffset).toBeLessThanOrEqual(bytes.length);
    }),
    { numRuns: 3_000 },
  );
});
