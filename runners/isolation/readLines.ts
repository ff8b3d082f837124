import type { Readable } from 'node:stream';

/**
 * Calls `onLine` for every line of a child's output, in order.
 *
 * A line longer than `lineBytesMax` is handed on cut to that length, so that a child can't fill our memory; its
 * rest is dropped. An unfinished last line is dropped.
 */
export function readLines(stream: Readable, lineBytesMax: number, onLine: (line: string) => void): void {
  let held: Buffer = Buffer.alloc(0);
  let isOverlong = false;
  const keep = (part: Buffer) => {
    if (isOverlong) return;
    held = Buffer.concat([held, part.subarray(0, lineBytesMax - held.length)]);
    isOverlong = held.length >= lineBytesMax;
  };
  stream.on('data', (data: Buffer) => {
    let rest = data;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      keep(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      const line = held.toString('utf8');
      held = Buffer.alloc(0);
      isOverlong = false;
      onLine(line);
    }
    keep(rest);
  });
  stream.on('error', () => {});
}
