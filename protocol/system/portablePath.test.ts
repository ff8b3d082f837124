import { expect, test } from 'vitest';
import { pathCollisions, pathFaults } from './portablePath.ts';

test.each([
  'system.toml',
  'weights/model-00001-of-00002.safetensors',
  'harness/src/agent/__init__.py',
  'harness/.hidden',
  'harness/naïve/日本語.txt',
  'harness/com0mon/console.log',
  'harness/a b.txt',
  `harness/${'x'.repeat(192)}`,
])('%j is portable', (path) => {
  expect(pathFaults(path)).toEqual([]);
});

test.each([
  ['/etc/passwd', 'empty part'],
  ['harness//x', 'empty part'],
  ['harness/', 'empty part'],
  ['', 'empty part'],
  ['harness/../../x', '".." part'],
  ['harness/./x', '"." part'],
  ['..', '".." part'],
  ['C:/x', 'character :'],
  ['harness\\x', 'character \\'],
  ['harness/what?', 'character ?'],
  ['harness/a\u0000b', 'control'],
  ['harness/a\nb', 'control'],
  ['harness/\u202egnp.exe', 'control'],
  ['harness/a\u200bb', 'control'],
  ['harness/\ufeffx', 'control'],
  ['harness/e\u0301', 'normal form C'],
  ['harness/\ud800', 'well-formed'],
  ['harness/CON', 'device name'],
  ['harness/aux.py', 'device name'],
  ['harness/LPT¹', 'device name'],
  ['harness/nul .txt', 'device name'],
  ['harness/x.', 'ends in a dot'],
  ['harness/x /y', 'ends in a dot or space'],
  ['harness/ x', 'starts with'],
  ['harness/-rf', 'starts with'],
  [`harness/${'x'.repeat(193)}`, '201 bytes'],
  [`harness/${'é'.repeat(97)}`, '202 bytes'],
  [`a${'/a'.repeat(16)}`, '17 parts'],
])('%j is refused with its reason', (path, reason) => {
  expect(pathFaults(path).join('; ')).toContain(reason);
});

test('every fault of a path is named at once', () => {
  expect(pathFaults('../CON/a:b\u0007/x.').length).toBeGreaterThanOrEqual(5);
});

test.each([
  [['harness/A', 'harness/a']],
  [['harness/Straße', 'harness/STRASSE']],
  [['harness/ﬁle', 'harness/file']],
  [['harness/σ', 'harness/ς']],
  [['harness/dir', 'harness/dir/x']],
  [['harness/dir/x', 'harness/dir']],
  [['harness/Dir/x', 'harness/dir/y']],
  [['harness/x', 'harness/x']],
])('%j collide', (paths) => {
  expect(pathCollisions(paths)).toHaveLength(1);
});

test('files side by side in one folder do not collide', () => {
  expect(pathCollisions(['harness/a/x', 'harness/a/y', 'harness/ab', 'harness/a.b'])).toEqual([]);
});

test('five thousand deep paths are compared without a noticeable wait', () => {
  const paths = Array.from({ length: 5_000 }, (_, index) => `${'d/'.repeat(15)}file${index}`);
  const before = performance.now();
  expect(pathCollisions(paths)).toEqual([]);
  expect(performance.now() - before).toBeLessThan(5_000);
});
