import { ggufDtype } from './ggufDtype.ts';
import { type GgufValue, readGgufValue } from './ggufValue.ts';
import { groupDigits } from './groupDigits.ts';
import { HeaderCursor, HeaderEnds } from './headerCursor.ts';
import { systemLimits } from './limits.ts';
import { placeTensors } from './placeTensors.ts';
import { newProblemList, type ProblemList } from './problemList.ts';
import { partOf, quoteName } from './quoteName.ts';
import type { ReadAt } from './readAt.ts';
import { type Layout, type ParsedWeights, type PlacedTensor, tensorBytes } from './tensor.ts';

/** A key of a GGUF file with its value's name. */
export interface GgufKey extends GgufValue {
  readonly key: string;
}

/** What a GGUF header says. `shape` of its tensors is in the file's order: the fastest dimension first. */
export interface ParsedGguf extends ParsedWeights {
  readonly keys: readonly GgufKey[];
  /** Whether the header was read to its end, so that a key that is not listed is not there. */
  readonly complete: boolean;
  /** What tensor offsets are multiples of; 32 where the file doesn't say, null where it says it wrongly. */
  readonly alignment: number | null;
}

const defaultAlignment = 32;

/**
 * Reads a GGUF file's header in one pass, in bounded memory, hashing values on the way.
 *
 * Accepted: version 3, little-endian; counts, names and values within `systemLimits`; keys and tensor names
 * once each; an alignment that is a power of two from 8 to 4,096; whole, unquantized element types; tensors
 * that fill the file without holes or overlap, each at the next aligned offset, in any order.
 *
 * returns  every problem found; `layout` is null when tensors can't be told apart by name and place,
 *          `complete` false when the header could not be read to its end.
 * Source: ggml's docs/gguf.md and what llama.cpp's reader refuses.
 */
export async function parseGguf(
  file: { readonly path: string; readonly size: number },
  readAt: ReadAt,
): Promise<ParsedGguf> {
  const problems = newProblemList();
  const cursor = new HeaderCursor({ size: file.size, bytesMax: systemLimits.ggufHeaderBytesMax }, { readAt });
  const header: Header = { path: file.path, fileSize: file.size, keys: [], tensors: [] };
  const stop = await readHeader(header, { cursor, problems });
  if (stop !== null) problems.add('gguf.header', file.path, stop, writeAgain);
  checkKeys(header, problems);
  const alignment = readAlignment(header, problems);
  checkNames(header, problems);
  const { keys, tensors } = header;
  // A wrong key hides no tensor: only what moves or names them keeps their bytes from being looked at.
  const placed = problems.all().every(({ code }) => code === 'gguf.value' || code === 'gguf.keyRepeated');
  const layout =
    placed && alignment !== null ? place(header, { headerEnd: cursor.position, alignment }, problems) : null;
  return { keys, tensors, layout, complete: stop === null, alignment, problems: problems.all() };
}

interface Header {
  readonly path: string;
  readonly fileSize: number;
  readonly keys: GgufKey[];
  /** Their offsets are from the start of tensor data, as the file has them. */
  readonly tensors: PlacedTensor[];
}

interface Reading {
  readonly cursor: HeaderCursor;
  readonly problems: ProblemList;
}

const writeAgain = 'Write the file again with an unmodified GGUF writer.';

/** Reads until the header's end, or until it can't go on; then a sentence says where and why. */
async function readHeader(header: Header, reading: Reading): Promise<string | null> {
  const { cursor } = reading;
  let where = 'start';
  try {
    await cursor.need(24);
    const { keyCount, tensorCount } = readCounts(cursor);
    for (let index = 0; index < keyCount; index += 1) {
      where = `key ${groupDigits(index)}`;
      const key = await readName(cursor, systemLimits.ggufKeyBytesMax);
      where = `key ${quoteName(key)}`;
      header.keys.push({ key, ...(await readGgufValue(cursor)) });
    }
    for (let index = 0; index < tensorCount; index += 1) {
      where = `tensor ${groupDigits(index)}`;
      const name = await readName(cursor, systemLimits.ggufTensorNameBytesMax);
      where = `tensor ${quoteName(name)}`;
      await readTensor(name, header, reading);
    }
    return null;
  } catch (end) {
    if (end instanceof HeaderEnds) return `${where}: ${end.message}`;
    throw end;
  }
}

function readCounts(cursor: HeaderCursor): { readonly keyCount: number; readonly tensorCount: number } {
  if (cursor.u32() !== 0x46554747) throw new HeaderEnds('does not start with "GGUF"');
  const version = cursor.u32();
  if (version === 0x03000000) throw new HeaderEnds('is big-endian; only little-endian GGUF is read');
  if (version !== 3) throw new HeaderEnds(`is GGUF version ${version}; only version 3 is read`);
  const tensorCount = cursor.u64();
  const keyCount = cursor.u64();
  const { ggufKeyCountMax, tensorCountMax } = systemLimits;
  if (keyCount > ggufKeyCountMax || tensorCount > tensorCountMax) {
    throw new HeaderEnds(
      `states ${groupDigits(keyCount)} keys and ${groupDigits(tensorCount)} tensors; ` +
        `at most ${groupDigits(ggufKeyCountMax)} and ${groupDigits(tensorCountMax)} are read`,
    );
  }
  return { keyCount: Number(keyCount), tensorCount: Number(tensorCount) };
}

async function readName(cursor: HeaderCursor, bytesMax: number): Promise<string> {
  await cursor.need(8);
  const length = cursor.u64();
  if (length === 0n || length > bytesMax) {
    throw new HeaderEnds(`has a name of ${groupDigits(length)} bytes, not 1 to ${bytesMax}`);
  }
  await cursor.need(Number(length));
  const bytes = cursor.bytes(Number(length));
  const name = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  // Replacement characters could make two names one; a name is exactly its bytes.
  if (new TextEncoder().encode(name).some((byte, index) => byte !== bytes[index])) {
    throw new HeaderEnds('has a name that is not UTF-8');
  }
  return name;
}

async function readTensor(name: string, header: Header, { cursor, problems }: Reading): Promise<void> {
  await cursor.need(4);
  const dimensions = cursor.u32();
  if (dimensions === 0 || dimensions > systemLimits.ggufDimensionsMax) {
    throw new HeaderEnds(`has ${dimensions} dimensions, not 1 to ${systemLimits.ggufDimensionsMax}`);
  }
  await cursor.need(8 * dimensions + 12);
  const shape = Array.from({ length: dimensions }, () => cursor.u64());
  const type = ggufDtype(cursor.u32());
  const offset = cursor.u64();
  const { fileSize, path } = header;
  const fault = (message: string) =>
    problems.add('gguf.entry', partOf(path, name), `${quoteName(name)} ${message}`, writeAgain);
  if (offset > fileSize) {
    fault(`starts ${groupDigits(offset)} bytes into the data of a file of ${groupDigits(fileSize)}`);
  }
  if ('fault' in type) return fault(type.fault);
  const size = tensorBytes(shape, type.dtype, fileSize);
  if (size === null || shape.some((length) => length > Number.MAX_SAFE_INTEGER)) {
    return fault(
      `needs more than the file's ${groupDigits(fileSize)} bytes for ${type.dtype} [${shape.join(', ')}]`,
    );
  }
  header.tensors.push({ name, dtype: type.dtype, shape: shape.map(Number), size, offset: Number(offset) });
}

function checkKeys({ path, keys }: Header, problems: ProblemList): void {
  const seen = new Set<string>();
  for (const { key, fault } of keys) {
    const at = partOf(path, key);
    if (seen.has(key))
      problems.add('gguf.keyRepeated', at, `${quoteName(key)} is there twice`, 'Write each key once.');
    if (fault !== null) problems.add('gguf.value', at, `${quoteName(key)} ${fault}`, writeAgain);
    seen.add(key);
  }
}

function readAlignment({ path, keys }: Header, problems: ProblemList): number | null {
  const found = keys.find(({ key }) => key === 'general.alignment');
  if (found === undefined) return defaultAlignment;
  const { uint32, type, shown } = found;
  const max = systemLimits.ggufAlignmentMax;
  if (uint32 !== null && uint32 >= 8 && uint32 <= max && Number.isInteger(Math.log2(uint32))) return uint32;
  const message = `"general.alignment" is ${shown} (${type}), not a uint32 power of two from 8 to ${groupDigits(max)}`;
  problems.add(
    'gguf.value',
    partOf(path, 'general.alignment'),
    message,
    'Leave the key out: 32 is then used.',
  );
  return defaultAlignment;
}

function checkNames({ path, tensors }: Header, problems: ProblemList): void {
  const seen = new Set<string>();
  for (const { name } of tensors) {
    if (seen.has(name)) {
      problems.add(
        'tensor.repeated',
        partOf(path, name),
        `${quoteName(name)} is there twice`,
        'Store each tensor once.',
      );
    }
    seen.add(name);
  }
}

function place(
  { path, fileSize, tensors }: Header,
  { headerEnd, alignment }: { readonly headerEnd: number; readonly alignment: number },
  problems: ProblemList,
): Layout | null {
  // A file without tensors may end with its header, without padding.
  const aligned = Math.ceil(headerEnd / alignment) * alignment;
  const dataOffset = tensors.length === 0 ? Math.min(aligned, fileSize) : aligned;
  const placed = tensors.map((tensor) => ({ ...tensor, offset: dataOffset + tensor.offset }));
  return placeTensors({ path, fileSize, headerEnd, dataOffset, alignment, tensors: placed }, problems);
}
