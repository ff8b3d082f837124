import type { Sha256 } from '../digest.ts';
import { groupDigits } from './groupDigits.ts';
import { type HeaderCursor, HeaderEnds } from './headerCursor.ts';
import { systemLimits } from './limits.ts';
import { quoteName } from './quoteName.ts';

/** GGUF's value types by their number in the file; 8 is a string, 9 an array. */
const valueTypes = [
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'float32',
  'bool',
  'string',
  'array',
  'uint64',
  'int64',
  'float64',
] as const;

type ScalarType = Exclude<(typeof valueTypes)[number], 'string' | 'array'>;

const scalarBytes: Readonly<Record<ScalarType, number>> = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  float32: 4,
  bool: 1,
  uint64: 8,
  int64: 8,
  float64: 8,
};

/** A key's value: never kept, only named. */
export interface GgufValue {
  /** As "uint32" or "array of string". */
  readonly type: string;
  /** SHA-256 of the value's type number and bytes as they stand in the file; null when over a bound. */
  readonly digest: Sha256 | null;
  /** The value for people, short and safe to show: `4`, `"qwen3"`, `595 × string`. */
  readonly shown: string;
  /** A uint32's value, which general.alignment needs; null for all other types. */
  readonly uint32: number | null;
  /** What is wrong with it, as a clause; null when nothing is. */
  readonly fault: string | null;
}

/** Strings of up to this many bytes are shown in full. */
const shownBytesMax = 96;

/**
 * Reads the value at the cursor, from its type number on.
 *
 * throws  HeaderEnds when what follows can't be found any more: an unknown type, or a stated length that
 *         reaches past a bound or the file. An array over its bound that can be passed over is a `fault`.
 */
export async function readGgufValue(cursor: HeaderCursor): Promise<GgufValue> {
  await cursor.need(4);
  cursor.openDigest();
  const type = typeNamed(cursor.u32());
  if (type === 'array') return readArray(cursor);
  if (type === 'string') {
    const shown = await showString(cursor);
    return { type, digest: cursor.closeDigest(), shown, uint32: null, fault: null };
  }
  const width = scalarBytes[type];
  await cursor.need(width);
  const bytes = cursor.bytes(width);
  const view = new DataView(bytes.buffer, bytes.byteOffset, width);
  const fault =
    type === 'bool' && view.getUint8(0) > 1 ? `is a bool of ${view.getUint8(0)}, not 0 or 1` : null;
  const uint32 = type === 'uint32' ? view.getUint32(0, true) : null;
  const shown = showScalar(type, view);
  return { type, digest: cursor.closeDigest(), shown, uint32, fault };
}

function typeNamed(number: number): (typeof valueTypes)[number] {
  const type = valueTypes[number];
  if (type === undefined)
    throw new HeaderEnds(`has value type ${number}; known are 0 to ${valueTypes.length - 1}`);
  return type;
}

async function readArray(cursor: HeaderCursor): Promise<GgufValue> {
  await cursor.need(12);
  const item = typeNamed(cursor.u32());
  const stated = cursor.u64();
  const { ggufArrayLengthMax } = systemLimits;
  const type = `array of ${item}`;
  const shown = `${groupDigits(stated)} × ${item}`;
  if (item === 'array') throw new HeaderEnds('is an array of arrays, which no engine reads');
  const width = item === 'string' ? 8 : scalarBytes[item];
  if (stated * BigInt(width) > BigInt(cursor.left)) {
    throw new HeaderEnds(
      `states ${shown}, at least ${groupDigits(stated * BigInt(width))} bytes where ${groupDigits(cursor.left)} are left`,
    );
  }
  const length = Number(stated);
  if (length > ggufArrayLengthMax) {
    const fault = `is ${shown}, more than ${groupDigits(ggufArrayLengthMax)}`;
    if (item === 'string') throw new HeaderEnds(fault);
    cursor.dropDigest();
    cursor.jump(length * width);
    return { type, digest: null, shown, uint32: null, fault };
  }
  if (item === 'string') for (let index = 0; index < length; index += 1) await passString(cursor);
  else await cursor.skip(length * width);
  return { type, digest: cursor.closeDigest(), shown, uint32: null, fault: null };
}

async function showString(cursor: HeaderCursor): Promise<string> {
  const length = await stringLength(cursor);
  if (length > shownBytesMax) {
    await cursor.skip(length);
    return `a string of ${groupDigits(length)} bytes`;
  }
  await cursor.need(length);
  return quoteName(decoder.decode(cursor.bytes(length)));
}

/** A vocabulary has hundreds of thousands of strings: what is ready is passed without waiting. */
async function passString(cursor: HeaderCursor): Promise<void> {
  const length = await stringLength(cursor);
  if (cursor.ready >= length) cursor.bytes(length);
  else await cursor.skip(length);
}

async function stringLength(cursor: HeaderCursor): Promise<number> {
  if (cursor.ready < 8) await cursor.need(8);
  const stated = cursor.u64();
  const max = systemLimits.ggufStringBytesMax;
  if (stated > BigInt(max)) {
    throw new HeaderEnds(`has a string of ${groupDigits(stated)} bytes, more than ${groupDigits(max)}`);
  }
  return Number(stated);
}

/** Values are compared as bytes; what is not UTF-8 in them only shows as replacement characters. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function showScalar(type: ScalarType, view: DataView): string {
  switch (type) {
    case 'uint8':
      return String(view.getUint8(0));
    case 'int8':
      return String(view.getInt8(0));
    case 'uint16':
      return String(view.getUint16(0, true));
    case 'int16':
      return String(view.getInt16(0, true));
    case 'uint32':
      return String(view.getUint32(0, true));
    case 'int32':
      return String(view.getInt32(0, true));
    case 'float32':
      return String(Number(view.getFloat32(0, true).toPrecision(7)));
    case 'bool':
      return view.getUint8(0) === 0 ? 'false' : 'true';
    case 'uint64':
      return String(view.getBigUint64(0, true));
    case 'int64':
      return String(view.getBigInt64(0, true));
    case 'float64':
      return String(view.getFloat64(0, true));
  }
}
