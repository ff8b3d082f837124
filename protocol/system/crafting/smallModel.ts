import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type Sha256, sha256Schema } from '../../digest.ts';
import type { GgufBaseFacts, SafetensorsBaseFacts } from '../base.ts';
import { makeBaseFacts } from '../makeBaseFacts.ts';
import { type CraftedGguf, type CraftedTensor, craftGguf } from './craftGguf.ts';
import { type CraftedEntry, craftSafetensors } from './craftSafetensors.ts';
import { memoryFiles } from './memoryFiles.ts';

/** A small GGUF with every kind of key, to change one thing of. */
export const smallGguf: CraftedGguf = {
  version: 3,
  keyCount: null,
  tensorCount: null,
  alignment: 32,
  paddingByte: 0,
  keys: [
    ['general.architecture', ['string', 'qwen3']],
    ['general.name', ['string', 'Small']],
    ['general.sampling.temp', ['float32', 0.6]],
    ['qwen3.block_count', ['uint32', 2]],
    ['qwen3.context_length', ['uint32', 1024]],
    ['tokenizer.ggml.tokens', ['strings', ['a', 'b', 'c']]],
    ['tokenizer.ggml.token_type', ['array', 'int32', [1, 1, 3]]],
    ['tokenizer.ggml.eos_token_id', ['uint32', 2]],
    ['tokenizer.ggml.add_bos_token', ['bool', 0]],
    ['tokenizer.chat_template', ['string', '{{ messages }}']],
  ],
  tensors: [
    tensor('token_embd.weight', [4, 3], 1),
    tensor('blk.0.attn_norm.weight', [4], 0),
    tensor('blk.0.ffn_down.weight', [5, 4], 1),
    tensor('output_norm.weight', [4], 0),
  ],
};

/** A tensor of finite values that follow from its name. */
export function tensor(name: string, shape: readonly number[], type: 0 | 1): CraftedTensor {
  const count = shape.reduce((product, length) => product * length, 1);
  return { name, shape, type, offset: null, bytes: finiteBytes(name, count * (type === 0 ? 4 : 2)) };
}

/** The same small model as safetensors. */
export const smallEntries: readonly CraftedEntry[] = [
  entry('model.embed_tokens.weight', 'BF16', [3, 4]),
  entry('model.layers.0.mlp.down_proj.weight', 'F16', [4, 5]),
  entry('model.norm.weight', 'F32', [4]),
];

/** A tensor of finite values that follow from its name. */
export function entry(name: string, dtype: 'BF16' | 'F16' | 'F32', shape: readonly number[]): CraftedEntry {
  const count = shape.reduce((product, length) => product * length, 1);
  return { name, dtype, shape, bytes: finiteBytes(name, count * (dtype === 'F32' ? 4 : 2)) };
}

/** Bytes below 0x60 keep the exponent of every element type from being all ones. */
function finiteBytes(seed: string, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let index = 0; index < size; index += 1) {
    bytes[index] = (seed.charCodeAt(index % seed.length) * (index + 7)) % 0x60;
  }
  return bytes;
}

/** Facts of the small GGUF. */
export async function smallGgufFacts(): Promise<GgufBaseFacts> {
  const facts = await factsOf('gguf', new Map([['weights/small.gguf', craftGguf(smallGguf)]]));
  if (facts.format !== 'gguf') throw new Error('another format');
  return facts;
}

/** Facts of the small safetensors folder with its tokenizer. */
export async function smallSafetensorsFacts(): Promise<SafetensorsBaseFacts> {
  const files = new Map([
    ['weights/model.safetensors', craftSafetensors(smallEntries)],
    ['weights/tokenizer.json', new TextEncoder().encode('{"version":"1.0"}')],
  ]);
  const facts = await factsOf('safetensors', files);
  if (facts.format !== 'safetensors') throw new Error('another format');
  return facts;
}

/** Facts of any base in memory. */
export async function factsOf(format: 'gguf' | 'safetensors', files: ReadonlyMap<string, Uint8Array>) {
  const listed = [...files].map(([path, bytes]) => ({ path, size: bytes.length }));
  const made = await makeBaseFacts(
    { model: 'Small', format, files: listed, renames: [], optionalPrefixes: [] },
    { readFileAt: memoryFiles(files), hashChunk },
  );
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  return made.facts;
}

/** Hashes a chunk as a caller does. */
export async function hashChunk(blocks: AsyncIterable<Uint8Array>): Promise<Sha256> {
  const hash = sha256.create();
  for await (const block of blocks) hash.update(block);
  return sha256Schema.parse(bytesToHex(hash.digest()));
}
