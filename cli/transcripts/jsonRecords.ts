import { createReadStream } from 'node:fs';

/** A line of a file of JSON lines: its object, or why there is none. */
export type JsonRecord =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'unreadable' }
  /** The last line, without an end: the file is still being written. */
  | { readonly kind: 'unfinished' };

/** Tool results and pictures stand in one line; longer ones are left out so that memory stays bounded. */
const lineBytesMax = 64 * 1024 * 1024;

/** Reads a file of JSON lines from start to end, one line in memory at a time. */
export async function* jsonRecords(path: string, signal: AbortSignal): AsyncGenerator<JsonRecord> {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (bytes: Buffer) => {
    size += bytes.length;
    if (size <= lineBytesMax) parts.push(bytes);
    else parts = [];
  };
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1024 * 1024 })) {
    let rest = chunk as Buffer;
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const record = size > lineBytesMax ? unreadable : recordOf(parts);
      if (record !== null) yield record;
      parts = [];
      size = 0;
    }
    keep(rest);
  }
  const last = size > lineBytesMax ? unreadable : recordOf(parts);
  if (last !== null) yield last.kind === 'unreadable' ? { kind: 'unfinished' } : last;
}

const unreadable: JsonRecord = { kind: 'unreadable' };

function recordOf(parts: readonly Buffer[]): JsonRecord | null {
  const text = Buffer.concat(parts).toString('utf8').trim();
  if (text === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { kind: 'object', value } : unreadable;
  } catch {
    return unreadable;
  }
}

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
