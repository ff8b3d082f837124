import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { weightsRefusal } from '@vtb/protocol/system/hfFiles.ts';
import type { ReadFileAt } from '@vtb/protocol/system/readAt.ts';
import { Failure } from '../failure.ts';

/** A model on disk as others store it: one .gguf, or a folder in the Hugging Face layout. */
export interface ModelFiles {
  readonly format: 'gguf' | 'safetensors';
  /** By name, without a folder. `file` is where the bytes are, links followed: model caches are full of them. */
  readonly files: readonly { readonly path: string; readonly size: number; readonly file: string }[];
  /** Names that are no part of a model's weights: optimizer states, pickles, folders. */
  readonly leftOut: readonly string[];
  readonly readFileAt: ReadFileAt;
}

/**
 * Finds a model's files.
 *
 * path    a .gguf, a folder with one .gguf, or a folder with .safetensors.
 * throws  Failure('usage') when it is none of these.
 */
export async function findModelFiles(path: string): Promise<ModelFiles> {
  const facts = await stat(path).catch(() => null);
  if (facts === null) throw new Failure('usage', 'model.missing', `${path} isn't there`);
  const folder = facts.isDirectory() ? path : dirname(path);
  const names = facts.isDirectory() ? (await readdir(path)).sort() : [basename(path)];
  const ggufs = names.filter((name) => name.endsWith('.gguf'));
  const shards = names.filter((name) => name.endsWith('.safetensors') && weightsRefusal(name) === null);
  if (shards.length === 0 && ggufs.length !== 1)
    throw new Failure(
      'usage',
      'model.missing',
      `${path} has ${ggufs.length} .gguf and no .safetensors; name a .gguf, or a folder in the Hugging Face layout`,
    );
  const format = shards.length > 0 ? 'safetensors' : 'gguf';
  const isTaken = (name: string) =>
    format === 'gguf' ? ggufs.includes(name) : weightsRefusal(name) === null;
  const files = [];
  const leftOut: string[] = [];
  for (const name of names) {
    const found = isTaken(name) ? await stat(join(folder, name)).catch(() => null) : null;
    if (found?.isFile())
      files.push({ path: name, size: found.size, file: await realpath(join(folder, name)) });
    else leftOut.push(name);
  }
  return { format, files, leftOut, readFileAt: readFrom(new Map(files.map((one) => [one.path, one.file]))) };
}

function readFrom(files: ReadonlyMap<string, string>): ReadFileAt {
  return async (path, offset, length) => {
    const handle = await open(files.get(path) ?? path, 'r');
    try {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await handle.read(bytes, 0, length, offset);
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  };
}
