import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { type Sha256, sha256Hex, sha256Schema } from '@vtb/protocol/digest.ts';
import type { GgufBaseFacts } from '@vtb/protocol/system/base.ts';
import { makeBaseFacts } from '@vtb/protocol/system/makeBaseFacts.ts';

/** What a track with GGUF weights needs to know of its base: base.json's content and the header's bytes. */
export interface GgufBase {
  readonly facts: GgufBaseFacts;
  readonly header: Uint8Array;
}

/**
 * Reads a GGUF base model and makes its facts and header.
 *
 * throws  Error with every problem that the file has itself.
 */
export async function makeGgufBase(model: string, path: string): Promise<GgufBase> {
  await using file = await open(path);
  const { size } = await file.stat();
  const readAt = async (offset: number, length: number) => {
    const bytes = new Uint8Array(length);
    const { bytesRead } = await file.read(bytes, 0, length, offset);
    return bytes.subarray(0, bytesRead);
  };
  const made = await makeBaseFacts(
    { model, format: 'gguf', files: [{ path, size }], renames: [], optionalPrefixes: [] },
    { readFileAt: (_path, offset, length) => readAt(offset, length), hashChunk },
  );
  if (!made.ok) throw new Error(made.problems.map(({ message }) => message).join('\n'));
  if (made.facts.format !== 'gguf') throw new Error('a GGUF gave facts of another format');
  return { facts: made.facts, header: await readAt(0, made.facts.headerSize) };
}

async function hashChunk(bytes: AsyncIterable<Uint8Array>): Promise<Sha256> {
  const hash = createHash('sha256');
  for await (const block of bytes) hash.update(block);
  return sha256Schema.parse(hash.digest('hex'));
}

/** base.json's bytes: canonical JSON and a line's end. */
export function baseFactsText(facts: GgufBaseFacts): string {
  return `${canonicalJson(facts)}\n`;
}

/** `node seasons/makeBase.ts` writes the pocket season's base files anew and prints what its TOML must say. */
async function main(): Promise<void> {
  const pocket = fileURLToPath(new URL('./pocket', import.meta.url));
  const base = await makeGgufBase('wordmath-initial', join(pocket, 'systems/initial/weights/model.gguf'));
  for (const [name, path, bytes] of [
    ['facts', 'wordmath/base.json', baseFactsText(base.facts)],
    ['header', 'wordmath/base.header', base.header],
  ] as const) {
    await writeFile(join(pocket, path), bytes);
    process.stdout.write(`${name} = { path = "${path}", sha256 = "${sha256Hex(bytes)}" }\n`);
  }
}

if (import.meta.main) await main();
