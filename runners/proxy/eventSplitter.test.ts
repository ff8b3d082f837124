import { expect, test } from 'vitest';
import { eventSplitter } from './eventSplitter.ts';

const stream = 'data: {"a":"é😀"}\n\n: comment\n\ndata: one\ndata: two\r\n\r\nevent: x\ndata:[DONE]\n\n';

test('events come out whole wherever the stream is cut', () => {
  const bytes = Buffer.from(stream);
  for (let size = 1; size <= bytes.length; size += 1) {
    const splitter = eventSplitter(1_000);
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size)
      found.push(...splitter.push(bytes.subarray(at, at + size)));
    expect(found).toEqual(['{"a":"é😀"}', 'one\ntwo', '[DONE]']);
  }
});

test('an event without an end is refused at the bound', () => {
  expect(() => eventSplitter(100).push(Buffer.alloc(200, 'x'))).toThrow(RangeError);
});
