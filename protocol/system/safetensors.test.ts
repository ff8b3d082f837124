import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joined, text, u64 } from './crafting/craftGguf.ts';
import { craftSafetensors, craftSafetensorsRaw } from './crafting/craftSafetensors.ts';
import { memoryReadAt } from './crafting/memoryFiles.ts';
import { smallEntries } from './crafting/smallModel.ts';
import { parseSafetensors } from './safetensors.ts';

function parse(bytes: Uint8Array) {
  return parseSafetensors(
    { path: 'w.safetensors', size: bytes.length },
    memoryReadAt(bytes, { calls: 0, bytes: 0 }),
  );
}

async function messagesOf(bytes: Uint8Array): Promise<string[]> {
  const { layout, problems } = await parse(bytes);
  expect(layout === null).toBe(problems.length > 0);
  return problems.map(({ code, message }) => `${code}: ${message}`);
}

const zeros = (size: number) => new Uint8Array(size);
const entry = (dtype: unknown, shape: unknown, offsets: unknown) => ({ dtype, shape, data_offsets: offsets });

test('a sound file gives its tensors with absolute offsets, and no padding', async () => {
  const { layout, problems } = await parse(craftSafetensors(smallEntries));
  expect(problems).toEqual([]);
  const start = layout?.dataOffset ?? 0;
  expect(layout?.tensors).toEqual([
    { name: 'model.embed_tokens.weight', dtype: 'BF16', shape: [3, 4], size: 24, offset: start },
    {
      name: 'model.layers.0.mlp.down_proj.weight',
      dtype: 'F16',
      shape: [4, 5],
      size: 40,
      offset: start + 24,
    },
    { name: 'model.norm.weight', dtype: 'F32', shape: [4], size: 16, offset: start + 64 },
  ]);
  expect(layout?.padding).toEqual([]);
});

test('tensors come by offset whatever the order of the header, and names like __proto__ are only names', async () => {
  const header = `{"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]},"__proto__":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"1":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}}   `;
  const { layout, problems } = await parse(craftSafetensorsRaw(header, zeros(8)));
  expect(problems).toEqual([]);
  expect(layout?.tensors.map(({ name }) => name)).toEqual(['__proto__', 'b', '1']);
});

test.each<[string, Uint8Array, string]>([
  ['an empty file', zeros(0), 'too few'],
  ['a header of 2^63 bytes', joined([u64(2n ** 63n), text('{}')]), '9,223,372,036,854,775,808 bytes'],
  [
    'a header that is over 16 MiB',
    joined([u64(16 * 1024 * 1024 + 1), text('{}')]),
    'at most 16,777,216 are read',
  ],
  ['a header longer than the file', joined([u64(3), text('{}')]), '3 bytes in a file of 10'],
  ['a header of one byte', joined([u64(1), text('{}')]), '1 bytes in a file'],
  ['a header that is no UTF-8', joined([u64(3), Uint8Array.of(0x7b, 0xff, 0x7d)]), 'not UTF-8'],
  ['a byte order mark', craftSafetensorsRaw('\ufeff{}', zeros(0)), 'does not start with "{"'],
  ['an array', craftSafetensorsRaw('[1]', zeros(0)), 'does not start with "{"'],
  ['zeros behind the header', craftSafetensorsRaw('{}\0\0', zeros(0)), 'does not end in "}"'],
  ['a repeated tensor', craftSafetensorsRaw('{"a":1,"a":1}', zeros(0)), 'repeated'],
  ['a repeated member', craftSafetensorsRaw('{"a":{"dtype":"U8","dtype":"F32"}}', zeros(0)), 'repeated'],
  [
    'a fractional offset',
    craftSafetensorsRaw('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1.0]}}', zeros(1)),
    '1.0 is not a plain whole number',
  ],
  [
    'a negative dimension',
    craftSafetensorsRaw('{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}', zeros(1)),
    '-1 is not a plain whole number',
  ],
  [
    '65,537 entries',
    craftSafetensorsRaw(`{${Array.from({ length: 65_537 }, (_, id) => `"${id}":1`).join()}}`, zeros(0)),
    'over 65536 members',
  ],
  ['deep nesting', craftSafetensorsRaw('{"a":{"b":{"c":{}}}}', zeros(0)), 'nested over 3'],
])('a header with %s is refused', async (_, bytes, reason) => {
  const messages = await messagesOf(bytes);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain(reason);
});

test.each<[string, unknown, number, string]>([
  ['an unknown dtype', entry('F4', [2], [0, 1]), 1, 'has dtype "F4"; known are'],
  ['no dtype', { shape: [1], data_offsets: [0, 1] }, 1, 'exactly the members'],
  ['a further member', { ...entry('U8', [1], [0, 1]), x: 1 }, 1, 'exactly the members'],
  ['a dtype with a toString of its own', entry({ toString: 1 }, [1], [0, 1]), 1, 'has no dtype'],
  ['a number for an entry', 5, 0, 'exactly the members'],
  ['nine dimensions', entry('U8', Array(9).fill(1), [0, 1]), 1, 'no shape'],
  ['text in its shape', entry('U8', ['1'], [0, 1]), 1, 'no shape'],
  ['offsets in descending order', entry('U8', [1], [1, 0]), 1, 'no data_offsets'],
  ['three offsets', entry('U8', [1], [0, 1, 2]), 1, 'no data_offsets'],
  [
    'fewer bytes than its shape',
    entry('F32', [2], [0, 7]),
    7,
    'needs 8 bytes for F32 [2], its data_offsets give 7',
  ],
  [
    'a product that wraps to its bytes',
    entry('U8', [2 ** 32, 2 ** 32, 2 ** 32], [0, 0]),
    0,
    'needs more than',
  ],
  ['a product that rounds', entry('U8', [94906267, 94906267], [0, 9]), 9, 'needs more than'],
  ['an end outside the file', entry('U8', [10], [0, 10]), 9, 'ends at byte'],
  ['a hole before it', entry('U8', [1], [1, 2]), 2, 'belong to nothing'],
  ['bytes after it', entry('U8', [1], [0, 1]), 2, 'the tensors end at byte'],
])('a tensor with %s is refused', async (_, value, size, reason) => {
  const messages = await messagesOf(craftSafetensorsRaw(JSON.stringify({ a: value }), zeros(size)));
  expect(messages.join('\n')).toContain(reason);
});

test('overlapping tensors are refused by name', async () => {
  const header = JSON.stringify({ a: entry('U8', [4], [0, 4]), b: entry('U8', [4], [2, 6]) });
  expect((await messagesOf(craftSafetensorsRaw(header, zeros(6)))).join()).toContain('"b" starts at byte');
});

test('every bad tensor of a file is named at once', async () => {
  const header = JSON.stringify({
    good: entry('U8', [1], [0, 1]),
    bad1: entry('F4', [1], [1, 2]),
    bad2: entry('U8', [3], [2, 4]),
    __metadata__: { x: 1 },
  });
  const { problems, tensors } = await parse(craftSafetensorsRaw(header, zeros(4)));
  expect(problems.map(({ at }) => at)).toEqual([
    'w.safetensors # "bad1"',
    'w.safetensors # "bad2"',
    'w.safetensors # "__metadata__"',
  ]);
  expect(tensors.map(({ name }) => name)).toEqual(['good']);
});

test('a name is shown bounded and without control characters', async () => {
  const name = `\u001b[31m${'x'.repeat(1_000_000)}`;
  const messages = await messagesOf(craftSafetensorsRaw(JSON.stringify({ [name]: 1 }), zeros(0)));
  expect(messages.join().length).toBeLessThan(2_000);
  expect(messages.join()).not.toMatch(/\p{Cc}/u);
});

test('a broken store is an exception, never a problem of the system', async () => {
  const file = { path: 'w.safetensors', size: 100 };
  await expect(parseSafetensors(file, async () => new Uint8Array(3))).rejects.toThrow('store');
  const gone = async () => Promise.reject(new TypeError('connection lost'));
  await expect(parseSafetensors(file, gone)).rejects.toThrow('connection lost');
});

test('whatever bytes a file has, parsing ends with a sound layout or with problems', async () => {
  const sound = craftSafetensors(smallEntries);
  const edit = fc.record({ at: fc.nat(sound.length - 1), byte: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { maxLength: 4 }),
      fc.integer({ min: 0, max: 20 }),
      async (edits, cut) => {
        const bytes = sound.slice(0, sound.length - cut);
        for (const { at, byte } of edits) if (at < bytes.length) bytes[at] = byte;
        const counts = { calls: 0, bytes: 0 };
        const file = { path: 'w.safetensors', size: bytes.length };
        const { layout, problems } = await parseSafetensors(file, memoryReadAt(bytes, counts));
        expect(layout === null).toBe(problems.length > 0);
        expect(counts.bytes).toBeLessThanOrEqual(bytes.length);
        if (layout === null) return;
        const covered = layout.tensors.reduce((sum, tensor) => sum + tensor.size, layout.dataOffset);
        expect(covered).toBe(bytes.length);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('random headers never crash the parser', async () => {
  const key = fc.constantFrom('dtype', 'shape', 'data_offsets', '__metadata__', '__proto__', 'toString', 'a');
  const header = fc.dictionary(
    key,
    fc.oneof(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })), fc.jsonValue()),
  );
  await fc.assert(
    fc.asyncProperty(header, fc.nat(20), async (value, size) => {
      const { layout, problems } = await parse(craftSafetensorsRaw(JSON.stringify(value), zeros(size)));
      expect(layout === null).toBe(problems.length > 0);
    }),
    { numRuns: 1_000 },
  );
});
