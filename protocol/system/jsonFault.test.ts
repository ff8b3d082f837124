import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault } from './jsonFault.ts';

const rules = { depthMax: 8, valueCountMax: 1_000, memberCountMax: 20, wholeNumbersOnly: false };

test('what it accepts JSON.parse accepts, and every text that JSON.stringify writes is accepted', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 4 }), (value, indent) => {
      expect(
        jsonFault(JSON.stringify(value, null, indent), { ...rules, valueCountMax: 1e6, memberCountMax: 1e6 }),
      ).toBeNull();
    }),
  );
});

test('texts that are nearly JSON are judged as JSON.parse judges them', () => {
  const pieces = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"',
      '\\',
      '\\u0041',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      'l',
    ],
    ...[' ', '\n', '\t', '\u00a0', '\ufeff', '/', 'é'],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      const fault = jsonFault(text, rules);
      if (fault === null) JSON.parse(text);
      else if (!/repeated|nested|surrogate/.test(fault))
        expect(() => JSON.parse(text), `${text}: ${fault}`).toThrow();
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ['{"a":1,"a":2}', 'repeated'],
  ['{"a":1,"\\u0061":2}', 'repeated'],
  ['{"x":{"a":1,"b":[],"a":null}}', 'repeated'],
  ['{"__proto__":1,"__proto__":2}', 'repeated'],
  ['{"a":1}{', 'goes on'],
  ['{"a":1,}', 'a string is expected'],
  ['[1,]', 'a value is expected'],
  ['', 'a value is expected'],
  ['[', 'a value is expected'],
  ['{', 'a string is expected'],
  ['"abc', 'no end'],
  ['"a\nb"', 'control character'],
  ['"\\x"', 'unknown escape'],
  ['"\\u12g4"', 'unknown escape'],
  ['"\\ud800"', 'lone surrogate'],
  ['01', 'a value is expected'],
  ['+1', 'a value is expected'],
  ['1.', 'a value is expected'],
  ['NaN', 'a value is expected'],
  ['{"a" 1}', '":" is expected'],
  ['[1 2]', '"," or "]" is expected'],
  ['[[[[[[[[[1]]]]]]]]]', 'nested over 8'],
  [`[${'1,'.repeat(1_000)}1]`, 'over 1000 values'],
  [`{${Array.from({ length: 21 }, (_, index) => `"${index}":1`).join()}}`, 'over 20 members'],
])('%j is refused with its reason', (text, reason) => {
  expect(jsonFault(text, rules)).toContain(reason);
});

test('equal keys in different objects are no repetition', () => {
  expect(jsonFault('{"a":{"a":1},"b":[{"a":1},{"a":2}]}', rules)).toBeNull();
});

test('where only whole numbers count, every other spelling of a number is refused', () => {
  const whole = { ...rules, wholeNumbersOnly: true };
  for (const text of ['0', '9007199254740991', '[1,2,3]', '{"a":null}'])
    expect(jsonFault(text, whole)).toBeNull();
  for (const text of [
    '1.0',
    '1e3',
    '-1',
    '-0',
    '9007199254740992',
    '9007199254740993',
    `1${'0'.repeat(400)}`,
  ]) {
    expect(jsonFault(`[${text}]`, whole), text).not.toBeNull();
  }
});

test('sixteen million characters of string, space or nesting take linear time and no stack', () => {
  const size = 16 * 1024 * 1024;
  const before = performance.now();
  expect(jsonFault(`"${'x'.repeat(size)}"`, rules)).toBeNull();
  expect(jsonFault(`${' '.repeat(size)}1`, rules)).toBeNull();
  expect(jsonFault('['.repeat(size), { ...rules, depthMax: 1e9, valueCountMax: 100_000 })).toContain(
    'values',
  );
  expect(jsonFault('1'.repeat(size), rules)).toContain('more than 64 characters');
  expect(performance.now() - before).toBeLessThan(10_000);
});
