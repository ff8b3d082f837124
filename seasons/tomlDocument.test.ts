import { expect, test } from 'vitest';
import { readToml, TomlSyntaxError } from './tomlDocument.ts';

const text = `title = "x"
dotted.key = 1
when = 2026-01-01T01:00:00+01:00
day = 2026-10-19

[[list]]
inline = { deep = [1,
  2] }
[list.table]
"quoted key" = true
[[list]]
name = "second"
`;

test('values are plain: instants in UTC, local dates as written', () => {
  expect(readToml(text).value).toEqual({
    title: 'x',
    dotted: { key: 1 },
    when: '2026-01-01T00:00:00.000Z',
    day: '2026-10-19',
    list: [{ inline: { deep: [1, 2] }, table: { 'quoted key': true } }, { name: 'second' }],
  });
});

test.each([
  [['title'], 1, 1],
  [['dotted'], 2, 1],
  [['dotted', 'key'], 2, 8],
  [['list'], 6, 1],
  [['list', 0], 6, 1],
  [['list', 0, 'inline', 'deep'], 7, 12],
  [['list', 0, 'inline', 'deep', 0], 7, 20],
  [['list', 0, 'inline', 'deep', 1], 8, 3],
  [['list', 0, 'table'], 9, 1],
  [['list', 0, 'table', 'quoted key'], 10, 1],
  [['list', 1], 11, 1],
  [['list', 1, 'name'], 12, 1],
])('%j stands at its line and column', (path, line, column) => {
  expect(readToml(text).locate(path)).toEqual({ line, column });
});

test('what is not there is placed at its nearest parent, or at the top', () => {
  const { locate } = readToml(text);
  expect(locate(['list', 1, 'settings', 'topP'])).toEqual({ line: 11, column: 1 });
  expect(locate(['tracks', 0])).toEqual({ line: 1, column: 1 });
  expect(locate([])).toEqual({ line: 1, column: 1 });
});

test.each([
  ['a = 1\na = 2\n', 2],
  ['a = 1\nb = =\n', 2],
  ['[t]\nx = 1\n[t]\n', 3],
  ['a = "open\n', 1],
])('what is not TOML is refused with its place: %j', (broken, line) => {
  try {
    readToml(broken);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(TomlSyntaxError);
    expect((error as TomlSyntaxError).position.line).toBe(line);
  }
});

test.each([
  ['[__proto__]\npolluted = true\n', '{"__proto__":{"polluted":true}}'],
  ['a = { __proto__ = { polluted = true } }\n', '{"a":{"__proto__":{"polluted":true}}}'],
  ['constructor.prototype.polluted = true\n', '{"constructor":{"prototype":{"polluted":true}}}'],
])('a key that would reach a prototype is an ordinary key: %j', (hostile, json) => {
  const { value } = readToml(hostile);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(JSON.stringify(value)).toBe(json);
});

test('dotted keys, headers and lists of tables that meet in one table are one table', () => {
  const { value } = readToml(
    'a.b.c = 1\na.b.d = 2\n[x.y]\nz = 1\n[x]\nw = 2\n[[l]]\n[[l.m]]\nn = 1\n[[l.m]]\nn = 2\n[[l]]\n',
  );
  expect(value).toEqual({
    a: { b: { c: 1, d: 2 } },
    x: { y: { z: 1 }, w: 2 },
    l: [{ m: [{ n: 1 }, { n: 2 }] }, {}],
  });
  expect(readToml('').value).toEqual({});
  expect(readToml('a = []\nb = [[], [{}]]\nc = "0"\n0 = 1\n').value).toEqual({
    a: [],
    b: [[], [{}]],
    c: '0',
    0: 1,
  });
});
