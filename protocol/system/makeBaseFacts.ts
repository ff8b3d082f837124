import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type Sha256, sha256Schema } from '../digest.ts';
import type { BaseFacts, BaseTensor, GgufBaseFacts, SafetensorsBaseFacts } from './base.ts';
import { canonicalCut, tensorDigest, tensorDigests } from './cut.ts';
import { parseGguf } from './gguf.ts';
import { ggufKeyKind } from './ggufKeyKind.ts';
import { trackOwnedFiles } from './hfFiles.ts';
import type { Chunk } from './manifest.ts';
import { newProblemList, type SystemProblem } from './problemList.ts';
import { type ReadAt, type ReadFileAt, readBlocks } from './readAt.ts';
import { parseSafetensors } from './safetensors.ts';
import type { Layout } from './tensor.ts';

/** The base model as files. */
export interface BaseFiles {
  /** The model's name, for messages. */
  readonly model: string;
  readonly format: 'gguf' | 'safetensors';
  /** One .gguf, or the files of a folder; paths as `readFileAt` takes them. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** As in `SafetensorsBaseFacts`; empty for GGUF. */
  readonly renames: SafetensorsBaseFacts['renames'];
  readonly optionalPrefixes: SafetensorsBaseFacts['optionalPrefixes'];
}

/** What making facts needs: the bytes, and a hasher of at most 16 MiB at a time. */
export interface BaseDeps {
  readonly readFileAt: ReadFileAt;
  readonly hashChunk: (bytes: AsyncIterable<Uint8Array>) => Promise<Sha256>;
}

/** Facts, or what is wrong with the base's own files. */
export type BaseFactsMade =
  | { readonly ok: true; readonly facts: BaseFacts }
  | { readonly ok: false; readonly problems: readonly SystemProblem[] };

/**
 * Makes base.json's content from the base model's files: reads every byte once.
 *
 * returns  facts without forbidden models (see `forbidModels`), the same for the same files on every
 *          machine; or the problems that the base has itself.
 */
export async function makeBaseFacts(base: BaseFiles, deps: BaseDeps): Promise<BaseFactsMade> {
  return base.format === 'gguf' ? makeGgufFacts(base, deps) : makeSafetensorsFacts(base, deps);
}

async function makeGgufFacts(base: BaseFiles, deps: BaseDeps): Promise<BaseFactsMade> {
  const [file, ...more] = base.files;
  if (file === undefined || more.length > 0) {
    return refuse(`a GGUF base is one file, not ${base.files.length}`);
  }
  const readAt: ReadAt = (offset, length) => deps.readFileAt(file.path, offset, length);
  const parsed = await parseGguf(file, readAt);
  const { layout, problems, keys } = parsed;
  if (layout === null || problems.length > 0) return { ok: false, problems };
  const named = keys.find(({ key, type }) => key === 'general.architecture' && type === 'string');
  const architecture = /^"([a-z0-9_-]+)"$/.exec(named?.shown ?? '')?.[1];
  if (architecture === undefined) return refuse('general.architecture is missing or not a plain name');
  const facts: GgufBaseFacts = {
    schema: 1,
    format: 'gguf',
    model: base.model,
    tensors: tensorsOf(layout, await hashFile(file, layout, deps)),
    forbidden: [],
    fileSize: file.size,
    headerSize: layout.dataOffset,
    headerDigest: await hashRange({ offset: 0, size: layout.dataOffset }, readAt),
    architecture,
    keys: keys.flatMap(({ key, type, digest, shown }) =>
      digest === null || ggufKeyKind(key, architecture) === 'descriptive'
        ? []
        : [{ key, type, digest, shown }],
    ),
  };
  return { ok: true, facts };
}

async function makeSafetensorsFacts(base: BaseFiles, deps: BaseDeps): Promise<BaseFactsMade> {
  const tensors: BaseTensor[] = [];
  const files: { name: string; digest: Sha256 }[] = [];
  const problems = newProblemList();
  for (const file of base.files) {
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    if (name.endsWith('.safetensors')) {
      const parsed = await parseSafetensors(file, (offset, length) =>
        deps.readFileAt(file.path, offset, length),
      );
      problems.addAll(parsed.problems);
      if (parsed.layout !== null)
        tensors.push(...tensorsOf(parsed.layout, await hashFile(file, parsed.layout, deps)));
    } else if (trackOwnedFiles.has(name)) {
      files.push({ name, digest: tensorDigest(await hashFile(file, null, deps)) });
    }
  }
  if (tensors.length === 0) problems.addAll(refuse('no .safetensors file has a tensor').problems);
  if (problems.all().length > 0) return { ok: false, problems: problems.all() };
  const { model, renames, optionalPrefixes } = base;
  const facts = { tensors, forbidden: [], files, renames, optionalPrefixes };
  return { ok: true, facts: { schema: 1, format: 'safetensors', model, ...facts } };
}

function refuse(message: string): { readonly ok: false; readonly problems: readonly SystemProblem[] } {
  const problems = newProblemList();
  problems.add('weights.format', '', message, 'Name the files of one whole base model.');
  return { ok: false, problems: problems.all() };
}

function tensorsOf(layout: Layout, chunks: readonly Chunk[]): BaseTensor[] {
  const digests = tensorDigests(layout, chunks);
  return layout.tensors.map(({ name, dtype, shape, size }) => ({
    name,
    dtype,
    shape,
    size,
    digest: digests.get(name) ?? tensorDigest([]),
  }));
}

async function hashFile(
  file: { readonly path: string; readonly size: number },
  layout: Layout | null,
  deps: BaseDeps,
): Promise<Chunk[]> {
  const readAt: ReadAt = (offset, length) => deps.readFileAt(file.path, offset, length);
  const chunks: Chunk[] = [];
  for (const range of canonicalCut(file.size, layout).chunks) {
    chunks.push({ sha256: await deps.hashChunk(readBlocks(range, readAt)), size: range.size });
  }
  return chunks;
}

async function hashRange(
  range: { readonly offset: number; readonly size: number },
  readAt: ReadAt,
): Promise<Sha256> {
  const hash = sha256.create();
  for await (const block of readBlocks(range, readAt)) hash.update(block);
  return sha256Schema.parse(bytesToHex(hash.digest()));
}
