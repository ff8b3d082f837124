import { expect, test } from 'vitest';
import { textTail } from './textTail.ts';

const jsonBytes = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length - 2;

test('the end of a text is the longest whose JSON fits, whatever its characters take', () => {
  const all = Array.from({ length: 0x900 }, (_, unit) => String.fromCharCode(unit)).join('');
  for (const text of [
    all,
    '漢字'.repeat(500),
    'a😀'.repeat(300),
    '\ud800x\udc00'.repeat(200),
    '\0"\\\n\u2028',
  ]) {
    for (const bytesMax of [0, 1, 5, 6, 7, 64, 1_000]) {
      const tail = textTail(text, bytesMax);
      expect(text.endsWith(tail)).toBe(true);
      expect(jsonBytes(tail)).toBeLessThanOrEqual(bytesMax);
      const before = [...text.slice(0, text.length - tail.length)].at(-1);
      if (before !== undefined) expect(jsonBytes(before + tail)).toBeGreaterThan(bytesMax);
    }
    expect(textTail(text, jsonBytes(text))).toBe(text);
  }
});
