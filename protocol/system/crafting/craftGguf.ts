/** GGUF value types by name, as `[type, value]` pairs take them. */
const scalarWriters = {
  uint8: [0, 1, (view: DataView, value: number) => view.setUint8(0, value)],
  uint16: [2, 2, (view: DataView, value: number) => view.setUint16(0, value, true)],
  uint32: [4, 4, (view: DataView, value: number) => view.setUint32(0, value, true)],
  int32: [5, 4, (view: DataView, value: number) => view.setInt32(0, value, true)],
  float32: [6, 4, (view: DataView, value: number) => view.setFloat32(0, value, true)],
  bool: [7, 1, (view: DataView, value: number) => view.setUint8(0, value)],
} as const;

type ScalarType = keyof typeof scalarWriters;

/** A key's value: a number, a string, a list of either, or raw bytes from the type number on. */
export type CraftedValue =
  | readonly [ScalarType, number]
  | readonly ['string', string]
  | readonly ['strings', readonly string[]]
  | readonly ['array', ScalarType, readonly number[]]
  | readonly ['raw', Uint8Array];

/** A tensor's entry and bytes; `type` and `offset` may say what isn't so. */
export interface CraftedTensor {
  readonly name: string;
  readonly shape: readonly (number | bigint)[];
  /** GGML type number. */
  readonly type: number;
  /** Where the entry says the bytes are; null for where they are. */
  readonly offset: number | bigint | null;
  readonly bytes: Uint8Array;
}

/** A GGUF file to write, true or false. */
export interface CraftedGguf {
  readonly keys: readonly (readonly [string, CraftedValue])[];
  readonly tensors: readonly CraftedTensor[];
  readonly version: number;
  /** Stated counts; null for the true ones. */
  readonly keyCount: bigint | null;
  readonly tensorCount: bigint | null;
  readonly alignment: number;
  /** Bytes of padding are this. */
  readonly paddingByte: number;
}

/** Writes a GGUF file as told, for tests: what it says may be false, its bytes are as stated here. */
export function craftGguf(file: CraftedGguf): Uint8Array {
  const infos: Uint8Array[] = [];
  const data: Uint8Array[] = [];
  let dataSize = 0;
  for (const tensor of file.tensors) {
    infos.push(lengthed(text(tensor.name)), u32(tensor.shape.length), ...tensor.shape.map(u64));
    infos.push(u32(tensor.type), u64(tensor.offset ?? dataSize));
    const padding = (file.alignment - (tensor.bytes.length % file.alignment)) % file.alignment;
    data.push(tensor.bytes, new Uint8Array(padding).fill(file.paddingByte));
    dataSize += tensor.bytes.length + padding;
  }
  const counts = [u64(file.tensorCount ?? file.tensors.length), u64(file.keyCount ?? file.keys.length)];
  const keys = file.keys.flatMap(([key, value]) => [lengthed(text(key)), craftValue(value)]);
  const header = joined([text('GGUF'), u32(file.version), ...counts, ...keys, ...infos]);
  const gap = (file.alignment - (header.length % file.alignment)) % file.alignment;
  return joined([header, new Uint8Array(gap).fill(file.paddingByte), ...data]);
}

/** A value's bytes, from its type number on. */
export function craftValue(value: CraftedValue): Uint8Array {
  switch (value[0]) {
    case 'raw':
      return value[1];
    case 'string':
      return joined([u32(8), lengthed(text(value[1]))]);
    case 'strings':
      return joined([u32(9), u32(8), u64(value[1].length), ...value[1].map((item) => lengthed(text(item)))]);
    case 'array': {
      const [, type, items] = value;
      return joined([
        u32(9),
        u32(scalarWriters[type][0]),
        u64(items.length),
        ...items.map((item) => scalar(type, item)),
      ]);
    }
    default:
      return joined([u32(scalarWriters[value[0]][0]), scalar(value[0], value[1])]);
  }
}

function scalar(type: ScalarType, value: number): Uint8Array {
  const [, width, write] = scalarWriters[type];
  const bytes = new Uint8Array(width);
  write(new DataView(bytes.buffer), value);
  return bytes;
}

/** A u32, little-endian. */
export function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** A u64, little-endian. */
export function u64(value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}

/** UTF-8 bytes. */
export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function lengthed(bytes: Uint8Array): Uint8Array {
  return joined([u64(bytes.length), bytes]);
}

/** Byte arrays one after another. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
