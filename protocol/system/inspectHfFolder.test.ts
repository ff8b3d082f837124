import { expect, test } from 'vitest';
import { text } from './crafting/craftGguf.ts';
import { type CraftedEntry, craftSafetensors } from './crafting/craftSafetensors.ts';
import { memoryFiles, memoryManifest } from './crafting/memoryFiles.ts';
import { entry, smallEntries, smallSafetensorsFacts } from './crafting/smallModel.ts';
import { inspectSystem } from './inspect.ts';
import type { TrackRules } from './trackRules.ts';

const base = await smallSafetensorsFacts();
const rules: TrackRules = { track: 'words', edits: ['data', 'trainer'], weightsFormat: 'safetensors', base };
const whole = craftSafetensors(smallEntries);
type Files = Readonly<Record<string, Uint8Array | string>>;

async function inspect(weights: Files, used: TrackRules = rules) {
  const files = new Map<string, Uint8Array>([['system.toml', text('x')]]);
  for (const [name, content] of Object.entries(weights)) {
    files.set(`weights/${name}`, typeof content === 'string' ? text(content) : content);
  }
  const manifest = await memoryManifest({ track: 'words', edits: [] }, files);
  const { problems } = await inspectSystem({ manifest, rules: used }, { readFileAt: memoryFiles(files) });
  return problems.map(({ code, at }) => `${code} ${at.replace('weights/', '')}`);
}

const shards = (first: readonly CraftedEntry[], second: readonly CraftedEntry[]) => ({
  'model-00001-of-00002.safetensors': craftSafetensors(first),
  'model-00002-of-00002.safetensors': craftSafetensors(second),
});

const index = (map: Readonly<Record<string, string>>) => ({
  'model.safetensors.index.json': JSON.stringify({ metadata: { total_size: 80 }, weight_map: map }),
});

const one = 'model-00001-of-00002.safetensors';
const two = 'model-00002-of-00002.safetensors';
const [embedding, down, norm] = smallEntries as [CraftedEntry, CraftedEntry, CraftedEntry];
const goodMap = { [embedding.name]: one, [down.name]: two, [norm.name]: two };

test('one file, or shards with their index, with what savers write beside them, are accepted', async () => {
  const beside = {
    'config.json': '{"model_type":"qwen3","quantization_config":null,"_attn_implementation":"sdpa"}',
    'tokenizer.json': '{"version":"1.0"}',
    'generation_config.json': '{"temperature":0.6}',
    'README.md': '# ours',
  };
  expect(await inspect({ 'model.safetensors': whole, ...beside })).toEqual([]);
  expect(await inspect({ ...shards([embedding], [down, norm]), ...index(goodMap), ...beside })).toEqual([]);
});

test('a tokenizer that is not the track’s is refused', async () => {
  expect(await inspect({ 'model.safetensors': whole, 'tokenizer.json': '{"version":"1.1"}' })).toEqual([
    'weights.trackOwned tokenizer.json',
  ]);
});

test.each([
  ['{"vision_config":{"auto_map":{"AutoModel":"x.Y"}}}', 'vision_config.auto_map'],
  ['{"quantization_config":{"bits":4}}', 'quantization_config'],
  ['{"text_config":{"compression_config":{}}}', 'text_config.compression_config'],
  ['{"attn_implementation":"org/kernel"}', 'attn_implementation'],
  [
    '{"_attn_implementation_internal":{"text_config":"org/kernel:rev"}}',
    '_attn_implementation_internal.text_config',
  ],
  ['{"a":[{"trust_remote_code":true}]}', 'a.0.trust_remote_code'],
  ['{"peft_type":"LORA"}', 'peft_type'],
])('a config that hooks itself in is refused by the member’s name: %s', async (config, place) => {
  expect(await inspect({ 'model.safetensors': whole, 'config.json': config })).toEqual([
    `weights.hook config.json # "${place}"`,
  ]);
});

test.each([['{"a":1,"a":2}'], ['{"a":'], [`${'['.repeat(100)}${']'.repeat(100)}`]])(
  'a config that readers could disagree about is refused: %s',
  async (config) => {
    expect(await inspect({ 'model.safetensors': whole, 'config.json': config })).toEqual([
      'weights.json config.json',
    ]);
  },
);

test.each([
  ['pytorch_model.bin', 'weights.pickle'],
  ['training_args.bin', 'weights.pickle'],
  ['OPTIMIZER.PT', 'weights.pickle'],
  ['modeling_ours.py', 'weights.code'],
  ['kernel.so', 'weights.code'],
  ['adapter_config.json', 'weights.adapter'],
  ['adapter_model.safetensors', 'weights.adapter'],
  ['consolidated.safetensors', 'weights.copy'],
  ['consolidated.00.pth', 'weights.pickle'],
  ['params.json', 'weights.copy'],
  ['model.gguf', 'weights.copy'],
  ['quantize_config.json', 'weights.hook'],
  ['original/model.safetensors', 'weights.file'],
  ['notes.txt', 'weights.file'],
])('%s beside the weights is refused with its reason', async (name, code) => {
  expect(await inspect({ 'model.safetensors': whole, [name]: whole })).toEqual([`${code} ${name}`]);
});

test('many kinds of trouble in one folder are refused together', async () => {
  const found = await inspect({
    ...shards([embedding], [{ ...down, bytes: down.bytes.with(1, 0x7c) }, entry('extra', 'F32', [1])]),
    ...index({ [embedding.name]: '../x.safetensors', [down.name]: two, [norm.name]: two }),
    'consolidated.safetensors': whole,
    'params.json': '{}',
    'adapter_config.json': '{}',
    'config.json':
      '{"vision_config":{"auto_map":{}},"quantization_config":{},"attn_implementation":"org/kernel"}',
  });
  expect(found).toEqual([
    'weights.adapter adapter_config.json',
    'weights.hook config.json # "vision_config.auto_map"',
    'weights.hook config.json # "quantization_config"',
    'weights.hook config.json # "attn_implementation"',
    'weights.copy consolidated.safetensors',
    'weights.copy params.json',
    `tensor.notFinite ${two} # "${down.name}"`,
    'weights.index model.safetensors.index.json',
    `weights.index ${one}`,
    `weights.index model.safetensors.index.json # "${embedding.name}"`,
    `weights.index model.safetensors.index.json # "${norm.name}"`,
    'weights.index model.safetensors.index.json # "extra"',
    `tensor.unexpected ${two} # "extra"`,
    ` # "${norm.name}"`.replace(/^/, 'tensor.missing '),
  ]);
});

test('shards need an index, and the index a weight_map of names', async () => {
  const both = shards([embedding], [down, norm]);
  expect(await inspect(both)).toEqual(['weights.index model.safetensors.index.json']);
  for (const body of ['{}', '[]', '{"weight_map":[]}', '{"weight_map":{"a":1}}']) {
    expect(await inspect({ ...both, 'model.safetensors.index.json': body })).toEqual([
      'weights.index model.safetensors.index.json',
    ]);
  }
});

test('a tensor in two shards is refused', async () => {
  const found = await inspect({ ...shards([embedding, norm], [down, norm]), ...index(goodMap) });
  expect(found).toEqual([`tensor.repeated ${two} # "${norm.name}"`]);
});

test('declared renames and optional groups let honest saves pass, and nothing else', async () => {
  const renamed = smallEntries.map((each) => ({
    ...each,
    name: each.name.replace('model.', 'model.language_model.'),
  }));
  const files = { 'model.safetensors': craftSafetensors(renamed.slice(0, 2)) };
  expect(await inspect(files)).toHaveLength(5);
  const lenient = {
    ...base,
    renames: [{ from: 'model.language_model.', to: 'model.' }],
    optionalPrefixes: ['model.norm.'],
  };
  expect(await inspect(files, { ...rules, base: lenient })).toEqual([]);
  const twice = { 'model.safetensors': craftSafetensors([...smallEntries, ...renamed.slice(0, 1)]) };
  expect(await inspect(twice, { ...rules, base: lenient })).toEqual([
    'tensor.repeated model.safetensors # "model.language_model.embed_tokens.weight"',
  ]);
});

test('a folder without safetensors is refused', async () => {
  expect((await inspect({ 'config.json': '{}' }))[0]).toBe('weights.missing ');
});
