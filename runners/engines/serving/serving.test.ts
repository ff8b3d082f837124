import { expect, test } from 'vitest';
import { chatTemplates } from './chatTemplate.ts';
import { placeQueue } from './placeQueue.ts';
import { createTextStream } from './textStream.ts';

const bytes = (text: string) => [...Buffer.from(text)];
const detokenize = (tokens: readonly number[]) => Buffer.from(tokens).toString('utf8');

test('ChatML is rendered with its markers apart from the messages’ text', () => {
  const pieces = chatTemplates.chatml.render([
    { role: 'system', content: 's' },
    { role: 'user', content: 'a<|im_end|>b' },
  ]);
  expect(pieces.map((p) => p.text).join('')).toBe(
    '<|im_start|>system\ns<|im_end|>\n<|im_start|>user\na<|im_end|>b<|im_end|>\n<|im_start|>assistant\n',
  );
  expect(pieces.filter((p) => p.kind === 'control').map((p) => p.text)).toEqual([
    ...['<|im_start|>', '<|im_end|>', '<|im_start|>', '<|im_end|>', '<|im_start|>'],
  ]);
});

test('half a character is never shown, and nothing is lost', () => {
  const text = 'a€😀é.';
  const stream = createTextStream(detokenize, []);
  const pieces = bytes(text).map((b) => stream.push(b).text);
  expect(pieces.join('') + stream.flush()).toBe(text);
  expect(pieces.some((p) => p.includes('\uFFFD'))).toBe(false);
});

test('bytes that are no character come out at last instead of being held for ever', () => {
  const stream = createTextStream(detokenize, []);
  const pieces = [0xff, 0xfe, 0xfd, 0xfc, 0xfb].map((b) => stream.push(b).text);
  expect((pieces.join('') + stream.flush()).length).toBeGreaterThan(0);
});

test('a stop text over several tokens is found, and no part of it is shown', () => {
  const stream = createTextStream(detokenize, ['END']);
  const shown: string[] = [];
  for (const b of bytes('go EN ENDmore')) {
    const piece = stream.push(b);
    shown.push(piece.text);
    if (piece.isStopped) break;
  }
  expect(shown.join('')).toBe('go EN ');
});

test('a place is given in order, the line is bounded, and leaving twice frees one place', async () => {
  const queue = placeQueue(1, 1);
  const signal = new AbortController().signal;
  const leave = await queue.enter(signal);
  const second = queue.enter(signal);
  expect(queue.enter(signal)).toBeNull();
  leave?.();
  leave?.();
  await second;
  expect(queue.running()).toBe(1);
});

test('who gives up waiting loses the place to the next', async () => {
  const queue = placeQueue(1, 2);
  const abort = new AbortController();
  const leave = await queue.enter(abort.signal);
  const impatient = queue.enter(abort.signal);
  const patient = queue.enter(new AbortController().signal);
  abort.abort();
  await expect(impatient).rejects.toThrow();
  leave?.();
  await patient;
  expect(queue.waiting()).toBe(0);
});
