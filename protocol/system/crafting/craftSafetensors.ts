import { joined, text, u64 } from './craftGguf.ts';

/** A tensor to write; its bytes are stored in the order given. */
export interface CraftedEntry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Writes a sound safetensors file, for tests. */
export function craftSafetensors(entries: readonly CraftedEntry[]): Uint8Array {
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  for (const { name, dtype, shape, bytes } of entries) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
  }
  return craftSafetensorsRaw(JSON.stringify(header), joined(entries.map((entry) => entry.bytes)));
}

/** Writes a file with any header text and any data, for tests of what is refused. */
export function craftSafetensorsRaw(header: string, data: Uint8Array): Uint8Array {
  const bytes = text(header);
  return joined([u64(bytes.length), bytes, data]);
}
