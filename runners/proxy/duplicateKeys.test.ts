import { expect, test } from 'vitest';
import { duplicateKeys } from './duplicateKeys.ts';

test.each([
  ['{"a":1,"a":2}', ['a']],
  ['{"a":1,"\\u0061":2}', ['a']],
  ['{"m":[{"c":1},{"c":1,"d":{},"c":2}]}', ['m[1].c']],
  ['{"a":{"b":[[],{"c":"}","c":"{"}]},"x":"\\"a\\":1"}', ['a.b[1].c']],
  ['{"a":"{\\"a\\":1,\\"a\\":2}","b":{"a":1}}', []],
  ['[{"a":1},{"a":1}]', []],
  ['{"":1,"":2}', ['']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['"a"', []],
])('%s → %j', (text, found) => {
  JSON.parse(text);
  expect(duplicateKeys(text)).toEqual(found);
});

test('a body of a million brackets is answered in linear time', () => {
  const text = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
  const started = performance.now();
  expect(duplicateKeys(text)).toEqual([]);
  expect(performance.now() - started).toBeLessThan(2_000);
});
