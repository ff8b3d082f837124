import { groupDigits } from './groupDigits.ts';
import { jsonFault } from './jsonFault.ts';
import { systemLimits } from './limits.ts';
import { placeTensors } from './placeTensors.ts';
import { newProblemList, type ProblemList } from './problemList.ts';
import { partOf, quoteName } from './quoteName.ts';
import { type ReadAt, readExactly } from './readAt.ts';
import { readText } from './readText.ts';
import { dtypes, isDtype, type ParsedWeights, type PlacedTensor, tensorBytes } from './tensor.ts';

/** The bytes before the JSON: its length as a little-endian u64. */
const prefixBytes = 8;

/**
 * Reads a safetensors file's header: no length is used, nor memory taken for it, before it was checked.
 *
 * Accepted: a header of at most 16 MiB that starts with "{" and ends in spaces at most; a strict JSON
 * object without repeated keys; `__metadata__` of strings; per tensor exactly dtype, shape, data_offsets,
 * with shape × dtype = bytes; tensors that fill the file from the header to its end without holes or overlap.
 *
 * returns  every problem found; `layout` is null when there is one.
 * Source: huggingface/safetensors, README "Format".
 */
export async function parseSafetensors(
  file: { readonly path: string; readonly size: number },
  readAt: ReadAt,
): Promise<ParsedWeights> {
  const problems = newProblemList();
  const header = await readHeader(file, readAt, problems);
  if (header === null) return { tensors: [], layout: null, problems: problems.all() };
  const entries = Object.entries(header.value);
  const tensors: PlacedTensor[] = [];
  for (const [name, entry] of entries) {
    if (name === '__metadata__') checkMetadata(file.path, entry, problems);
    else
      tensors.push(
        ...readEntry({ path: file.path, name, entry, dataOffset: header.end, size: file.size }, problems),
      );
  }
  const dataOffset = header.end;
  const placing = {
    path: file.path,
    fileSize: file.size,
    headerEnd: dataOffset,
    dataOffset,
    alignment: 1,
    tensors,
  };
  // With an entry left out the file has a hole that would be reported as a second, misleading problem.
  const complete = problems.all().length === 0;
  return { tensors, layout: complete ? placeTensors(placing, problems) : null, problems: problems.all() };
}

async function readHeader(
  file: { readonly path: string; readonly size: number },
  readAt: ReadAt,
  problems: ProblemList,
): Promise<{ readonly value: object; readonly end: number } | null> {
  const refuse = (message: string): null => {
    problems.add(
      'safetensors.header',
      file.path,
      message,
      'Save the file again with an unmodified safetensors writer.',
    );
    return null;
  };
  if (file.size < prefixBytes + 2)
    return refuse(`${groupDigits(file.size)} bytes are too few for a safetensors file`);
  const prefix = await readExactly(0, prefixBytes, readAt);
  const stated = new DataView(prefix.buffer, prefix.byteOffset, prefixBytes).getBigUint64(0, true);
  if (stated > BigInt(systemLimits.safetensorsHeaderBytesMax)) {
    return refuse(
      `the header says it has ${groupDigits(stated)} bytes; at most ${groupDigits(systemLimits.safetensorsHeaderBytesMax)} are read`,
    );
  }
  const length = Number(stated);
  if (length < 2 || length > file.size - prefixBytes) {
    return refuse(
      `the header says it has ${groupDigits(length)} bytes in a file of ${groupDigits(file.size)}`,
    );
  }
  const text = await readText({ offset: prefixBytes, size: length }, readAt);
  if (text === null) return refuse('the header is not UTF-8');
  if (!text.startsWith('{')) return refuse('the header does not start with "{"');
  if (!/\} {0,64}$/.test(text.slice(-66)))
    return refuse('the header does not end in "}" and at most 64 spaces');
  const fault = jsonFault(text, {
    depthMax: 3,
    // Per tensor: the entry, dtype, shape, offsets and two of them, and the dimensions.
    valueCountMax: 1 + systemLimits.tensorCountMax * (6 + systemLimits.tensorDimensionsMax),
    memberCountMax: systemLimits.tensorCountMax,
    wholeNumbersOnly: true,
  });
  if (fault !== null) return refuse(`the header is not strict JSON: ${fault}`);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return refuse('the header is not an object');
  return { value, end: prefixBytes + length };
}

function checkMetadata(path: string, metadata: unknown, problems: ProblemList): void {
  const good =
    typeof metadata === 'object' &&
    metadata !== null &&
    !Array.isArray(metadata) &&
    Object.values(metadata).every((value) => typeof value === 'string');
  if (good) return;
  const fix = 'Write only text into the metadata, or leave it out.';
  problems.add(
    'safetensors.entry',
    partOf(path, '__metadata__'),
    '__metadata__ is not an object of strings',
    fix,
  );
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly entry: unknown;
  readonly dataOffset: number;
  readonly size: number;
}

/** One tensor's entry, or none when something is wrong with it; then each fault is in `problems`. */
function readEntry({ path, name, entry, dataOffset, size }: Entry, problems: ProblemList): PlacedTensor[] {
  const faults: string[] = [];
  const fields = new Map<string, unknown>(
    typeof entry === 'object' && entry !== null ? Object.entries(entry) : [],
  );
  if ([...fields.keys()].sort().join() !== 'data_offsets,dtype,shape') {
    faults.push('does not have exactly the members dtype, shape and data_offsets');
  }
  const nameBytes = new TextEncoder().encode(name).length;
  if (nameBytes === 0 || nameBytes > systemLimits.tensorNameBytesMax) {
    faults.push(`has a name of ${groupDigits(nameBytes)} bytes, not 1 to ${systemLimits.tensorNameBytesMax}`);
  }
  const dtype = fields.get('dtype');
  const known = typeof dtype === 'string' && isDtype(dtype) ? dtype : null;
  if (known === null)
    faults.push(
      `has ${typeof dtype === 'string' ? `dtype ${quoteName(dtype)}` : 'no dtype'}; known are ${dtypes.join(', ')}`,
    );
  const shape = wholeNumbers(fields.get('shape'), systemLimits.tensorDimensionsMax);
  if (shape === null) {
    faults.push(`has no shape of at most ${systemLimits.tensorDimensionsMax} whole numbers`);
  }
  const [begin, end] = wholeNumbers(fields.get('data_offsets'), 2) ?? [];
  if (begin === undefined || end === undefined || begin > end) {
    faults.push('has no data_offsets of two ascending whole numbers');
  } else if (shape !== null && known !== null) {
    const bytes = tensorBytes(shape, known, size);
    if (bytes !== end - begin) {
      const needs =
        bytes === null ? `more than the file's ${groupDigits(size)} bytes` : `${groupDigits(bytes)} bytes`;
      faults.push(
        `needs ${needs} for ${known} [${shape.join(', ')}], its data_offsets give ${groupDigits(end - begin)}`,
      );
    }
  }
  for (const fault of faults) {
    const fix = 'Save the file again with an unmodified safetensors writer.';
    problems.add('safetensors.entry', partOf(path, name), `${quoteName(name)} ${fault}`, fix);
  }
  if (faults.length > 0 || known === null || shape === null || begin === undefined || end === undefined)
    return [];
  return [{ name, dtype: known, shape, size: end - begin, offset: dataOffset + begin }];
}

/** That they are whole and not negative was checked in the text. */
function wholeNumbers(value: unknown, countMax: number): readonly number[] | null {
  if (!Array.isArray(value) || value.length > countMax) return null;
  return value.every((item) => typeof item === 'number') ? value : null;
}
