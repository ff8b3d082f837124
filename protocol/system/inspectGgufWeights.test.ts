import { expect, test } from 'vitest';
import { sha256Hex } from '../digest.ts';
import { forbidModels, type GgufBaseFacts } from './base.ts';
import { type CraftedGguf, craftGguf, joined, text, u32, u64 } from './crafting/craftGguf.ts';
import { memoryFiles, memoryManifest } from './crafting/memoryFiles.ts';
import { factsOf, smallGguf, smallGgufFacts, tensor } from './crafting/smallModel.ts';
import { inspectSystem } from './inspect.ts';
import type { TrackRules } from './trackRules.ts';

const base = await smallGgufFacts();
const rules: TrackRules = { track: 'words', edits: ['data', 'trainer'], weightsFormat: 'gguf', base };
type Key = CraftedGguf['keys'][number];

function systemOf(weights: CraftedGguf | Uint8Array): Map<string, Uint8Array> {
  const bytes = weights instanceof Uint8Array ? weights : craftGguf(weights);
  return new Map([
    ['system.toml', text('track = "words"')],
    ['weights/model.gguf', bytes],
  ]);
}

async function inspect(files: ReadonlyMap<string, Uint8Array>, used: TrackRules = rules) {
  const manifest = await memoryManifest({ track: 'words', edits: ['data'] }, files);
  const { problems } = await inspectSystem({ manifest, rules: used }, { readFileAt: memoryFiles(files) });
  for (const { at, message, fix } of problems) {
    expect(fix).not.toBe('');
    expect(message.length + at.length).toBeLessThan(1_000);
  }
  return problems.map(({ code, at, message }) => ({
    code,
    at: at.replace('weights/model.gguf', 'W'),
    message,
  }));
}

const named = (found: readonly { code: string; at: string }[]) =>
  found.map(({ code, at }) => `${code} ${at}`);

function withKeys(changes: Readonly<Record<string, Key[1] | null>>): CraftedGguf {
  const kept = smallGguf.keys.filter(([key]) => !Object.hasOwn(changes, key));
  const added = Object.entries(changes).flatMap(([key, value]): Key[] =>
    value === null ? [] : [[key, value]],
  );
  return { ...smallGguf, keys: [...kept, ...added] };
}

test('the base itself is accepted, and so are other tensors of its form', async () => {
  expect(await inspect(systemOf(smallGguf))).toEqual([]);
  const trained = smallGguf.tensors.map((each) => ({ ...each, bytes: each.bytes.map((byte) => byte ^ 1) }));
  expect(await inspect(systemOf({ ...smallGguf, tensors: trained }))).toEqual([]);
});

test('descriptive keys may say anything, be missing or be added', async () => {
  const keys = withKeys({
    'general.name': ['string', 'Ours'],
    'general.author': ['string', 'us'],
    'general.base_model.0.repo_url': ['string', 'x'],
    'general.tags': ['strings', ['a']],
  });
  expect(await inspect(systemOf(keys))).toEqual([]);
  expect(await inspect(systemOf(withKeys({ 'general.name': null })))).toEqual([]);
});

test('keys and tensors in another order are the same system', async () => {
  const other = {
    ...smallGguf,
    keys: [...smallGguf.keys].reverse(),
    tensors: [...smallGguf.tensors].reverse(),
  };
  expect(await inspect(systemOf(other))).toEqual([]);
});

test('a chat template that computes is refused by name with both digests', async () => {
  const template = '{%- set ns = namespace(total=0) -%}{{ ns.total }}';
  const [problem, ...more] = await inspect(
    systemOf(withKeys({ 'tokenizer.chat_template': ['string', template] })),
  );
  const digest = (value: string) => sha256Hex(joined([u32(8), u64(text(value).length), text(value)]));
  expect(more).toEqual([]);
  expect(problem?.code).toBe('gguf.keyDiffers');
  expect(problem?.at).toBe('W # "tokenizer.chat_template"');
  expect(problem?.message).toContain(digest(template));
  expect(problem?.message).toContain(digest('{{ messages }}'));
});

const hostileKeys: Readonly<Record<string, readonly [Key[1], string]>> = {
  'general.sampling.temp': [['float32', 0], 'gguf.keyDiffers'],
  'tokenizer.ggml.eos_token_id': [['uint32', 1], 'gguf.keyDiffers'],
  'tokenizer.ggml.add_bos_token': [['bool', 1], 'gguf.keyDiffers'],
  'tokenizer.ggml.tokens': [['strings', ['a', 'b', 'd']], 'gguf.keyDiffers'],
  'tokenizer.ggml.token_type': [['array', 'uint8', [1, 1, 3]], 'gguf.keyDiffers'],
  'qwen3.rope.scaling.type': [['string', 'yarn'], 'gguf.keyNotInBase'],
  'qwen3.context_length': [['uint32', 4096], 'gguf.keyDiffers'],
  'qwen3.block_count': [['uint32', 4096], 'gguf.keyDiffers'],
  'general.architecture': [['string', 'llama'], 'gguf.keyDiffers'],
  'split.count': [['uint16', 2], 'gguf.keyNotInBase'],
  'general.alignment': [['uint32', 2 ** 31], 'gguf.keyNotInBase'],
  'quantize.imatrix.file': [['string', 'x'], 'gguf.keyNotInBase'],
  'adapter.type': [['string', 'lora'], 'gguf.keyNotInBase'],
  'some.unknown.key': [['uint32', 1], 'gguf.keyUnknown'],
  'general.unheard_of': [['uint32', 1], 'gguf.keyUnknown'],
  'tokenizer.huge': [
    ['raw', joined([u32(9), u32(0), u64(4_194_305), new Uint8Array(4_194_305)])],
    'gguf.keyNotInBase',
  ],
};

test.each(Object.entries(hostileKeys))('%s is refused by name', async (key, [value, code]) => {
  const found = await inspect(systemOf(withKeys({ [key]: value })));
  expect(named(found)).toContain(`${code} W # "${key}"`);
  expect(found.every(({ at }) => at === `W # "${key}"`)).toBe(true);
});

test('all hostile keys of one file are refused at once', async () => {
  const values = Object.fromEntries(Object.entries(hostileKeys).map(([key, [value]]) => [key, value]));
  const found = named(await inspect(systemOf(withKeys(values))));
  for (const [key, [, code]] of Object.entries(hostileKeys)) expect(found).toContain(`${code} W # "${key}"`);
});

test('a functional key that is missing is named', async () => {
  expect(named(await inspect(systemOf(withKeys({ 'qwen3.block_count': null }))))).toEqual([
    'gguf.keyMissing W # "qwen3.block_count"',
  ]);
});

test('tensors that are missing, added, of another shape or type, or not finite are named at once', async () => {
  const [embedding, norm, down] = smallGguf.tensors;
  if (embedding === undefined || norm === undefined || down === undefined)
    throw new Error('the model changed');
  const tensors = [
    tensor('token_embd.weight', [3, 4], 1),
    tensor('blk.0.attn_norm.weight', [4], 1),
    { ...down, bytes: down.bytes.with(7, 0x7c) },
    tensor('extra.weight', [4], 0),
  ];
  const found = await inspect(systemOf({ ...smallGguf, tensors }));
  expect(named(found)).toEqual([
    'tensor.shape W # "token_embd.weight"',
    'tensor.dtype W # "blk.0.attn_norm.weight"',
    'tensor.unexpected W # "extra.weight"',
    'tensor.missing W # "output_norm.weight"',
    'tensor.notFinite W # "blk.0.ffn_down.weight"',
  ]);
  expect(found.map(({ message }) => message)).toContain('"blk.0.ffn_down.weight" has NaN at element 3');
  expect(found.map(({ message }) => message)).toContain('"token_embd.weight" is [3, 4]; the base has [4, 3]');
});

test('padding that carries data is refused', async () => {
  expect(named(await inspect(systemOf({ ...smallGguf, paddingByte: 1 })))).toEqual(['tensor.padding W']);
});

test('chunks that don’t follow the canonical cut are refused', async () => {
  const files = systemOf(smallGguf);
  const manifest = await memoryManifest({ track: 'words', edits: [] }, files);
  const whole = manifest.files.map((file) => ({
    ...file,
    chunks: [{ sha256: sha256Hex('x'), size: file.size }],
  }));
  const { problems } = await inspectSystem(
    { manifest: { ...manifest, files: whole }, rules },
    { readFileAt: memoryFiles(files) },
  );
  expect(problems.map(({ code, at }) => [code, at])).toEqual([['manifest.cut', 'weights/model.gguf']]);
});

test('a forbidden model’s tensor is refused, one that it shares with the base is not', async () => {
  const tuned = smallGguf.tensors.map((each, index) =>
    index === 2 ? { ...each, bytes: each.bytes.map((byte) => byte ^ 2) } : each,
  );
  const facts = await factsOf('gguf', new Map([['tuned.gguf', craftGguf({ ...smallGguf, tensors: tuned })]]));
  const guarded = forbidModels<GgufBaseFacts>(base, [{ ...facts, model: 'Tuned' }]);
  const used = { ...rules, base: guarded };
  expect(guarded.forbidden[0]?.digests).toHaveLength(1);
  expect(await inspect(systemOf(smallGguf), used)).toEqual([]);
  const found = await inspect(systemOf({ ...smallGguf, tensors: tuned }), used);
  expect(named(found)).toEqual(['tensor.forbidden W # "blk.0.ffn_down.weight"']);
  expect(found[0]?.message).toContain('of "Tuned"');
});

test('anything beside one .gguf is refused by name', async () => {
  const files = systemOf(smallGguf);
  for (const name of [
    'second.gguf',
    'config.json',
    'model.safetensors',
    'x.py',
    'pytorch_model.bin',
    'adapter_config.json',
  ]) {
    files.set(`weights/${name}`, name.endsWith('.gguf') ? craftGguf(smallGguf) : text('{}'));
  }
  expect(named(await inspect(files)).sort()).toEqual([
    'weights.adapter weights/adapter_config.json',
    'weights.code weights/x.py',
    'weights.copy weights/',
    'weights.file weights/config.json',
    'weights.format weights/model.safetensors',
    'weights.pickle weights/pytorch_model.bin',
  ]);
});

test('weights that are missing or in a folder are refused', async () => {
  expect(named(await inspect(new Map([['system.toml', text('x')]])))).toEqual(['weights.missing weights/']);
  const deep = new Map([
    ['system.toml', text('x')],
    ['weights/a/model.gguf', craftGguf(smallGguf)],
  ]);
  expect(named(await inspect(deep))).toEqual([
    'weights.missing weights/',
    'weights.copy weights/a/model.gguf',
  ]);
});

test('on a preview without base facts a file is only held to be sound and finite', async () => {
  const preview = { ...rules, base: null };
  expect(await inspect(systemOf(withKeys({ 'some.unknown.key': ['uint32', 1] })), preview)).toEqual([]);
  const bad = { ...smallGguf, tensors: [{ ...tensor('a', [4], 0), bytes: new Uint8Array(16).fill(0xff) }] };
  expect(named(await inspect(systemOf(bad), preview))).toEqual(['tensor.notFinite W # "a"']);
});

test('a store that fails stops the inspection with its own error', async () => {
  const files = systemOf(smallGguf);
  const manifest = await memoryManifest({ track: 'words', edits: [] }, files);
  const stopped = new Error('stopped');
  const readFileAt = () => Promise.reject(stopped);
  await expect(inspectSystem({ manifest, rules }, { readFileAt })).rejects.toBe(stopped);
});
