import type { Readable } from 'node:stream';

const tailBytesMax = 4_096;

/** Drains a stream and keeps its last 4 KiB; the returned function gives them without control characters. */
export function tailOf(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (data: Buffer) => {
    tail = Buffer.concat([tail, data]).subarray(-tailBytesMax);
  });
  stream.on('error', () => {});
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point.
  return () => tail.toString('utf8').replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ');
}
