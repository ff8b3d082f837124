import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonDigest, sha256Hex, sha256Schema } from './digest.ts';

test('digests equal those of another implementation, for bytes and for text', () => {
  const other = (input: Uint8Array | string) => createHash('sha256').update(input).digest('hex');
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => sha256Hex(bytes) === other(bytes)));
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => sha256Hex(text) === other(text)));
});

test('only 64 lowercase hexadecimal digits pass as a digest', () => {
  const good = sha256Hex('x');
  expect(sha256Schema.safeParse(good).success).toBe(true);
  const bad = [
    good.toUpperCase(),
    good.slice(1),
    `${good}0`,
    `0x${good.slice(2)}`,
    ` ${good.slice(1)}`,
    `${good}\n`,
  ];
  for (const text of bad) expect(sha256Schema.safeParse(text).success).toBe(false);
});

test('two values of equal meaning have one digest', () => {
  expect(jsonDigest({ b: [1], a: null })).toBe(sha256Hex('{"a":null,"b":[1]}'));
});
