import fc from 'fast-check';
import { expect, test } from 'vitest';
import { researchLogLimits } from './limits.ts';
import { lineDigest } from './lineDigest.ts';
import { readResearchLog } from './readResearchLog.ts';
import { anyLine } from './testKit.ts';

const episode =
  '{"kind":"episode","activity":"training","startedAt":"2026-12-01T10:00:00Z","endedAt":"2026-12-01T11:00:00Z"}';
const design =
  '{"kind":"design","id":"d1","components":["data","harness"],"hypothesis":"more code\\nhelps","decision":"keep"}';
const usage =
  '{"kind":"usage","at":"2026-12-01T10:00:00Z","model":"kimi-k3","inputTokens":100,"cachedTokens":80,"outputTokens":null}';

test('the three kinds of lines are read, with an order mark, CRLF and empty lines', () => {
  const read = readResearchLog(`\uFEFF${episode}\r\n\r\n${design}\n   \n${usage}`);
  expect(read.problems).toEqual([]);
  expect(read.lines.map(({ number, line }) => [number, line.kind])).toEqual([
    [1, 'episode'],
    [3, 'design'],
    [5, 'usage'],
  ]);
});

test('every problem of every line is told at once, with its line and member', () => {
  const { lines, problems } = readResearchLog(
    [
      episode,
      '{"kind":"episode","activity":"","startedAt":"yesterday","endedAt":"2026-12-01T11:00:00Z"}',
      'not json',
      '{"kind":"design","id":"d1","components":["weights"]}',
      '{"kind":"note"}',
      '[]',
      usage.replace('80', '800'),
      usage.replace('100', '-1'),
      episode.replace('11:00', '09:00'),
    ].join('\n'),
  );
  expect(lines).toHaveLength(1);
  const at = problems.map((problem) => problem.at);
  for (const place of [
    'line 2 activity',
    'line 2 startedAt',
    'line 3',
    'line 4 components 0',
    'line 5 kind',
    'line 6',
    'line 7 cachedTokens',
    'line 8 inputTokens',
    'line 9 endedAt',
  ])
    expect(at).toContain(place);
  const message = (place: string) => problems.find((problem) => problem.at === place)?.message;
  expect(message('line 5 kind')).toBe('expected "kind" to be "episode", "design" or "usage"');
  expect(message('line 9 endedAt')).toBe('the episode ends before it starts');
});

test.each([
  ['an unknown member', episode.replace('{', '{"note":"x",')],
  ['an instant without a zone', episode.replace('10:00:00Z', '10:00:00')],
  ['an instant with an offset', episode.replace('10:00:00Z', '10:00:00+02:00')],
  ['no component', design.replace('["data","harness"]', '[]')],
  ['a component twice', design.replace('["data","harness"]', '["data","data"]')],
  ['a design that is its own parent', design.replace('{', '{"parent":"d1",')],
  ['a submission that is no id', design.replace('{', '{"submission":"sub_1",')],
  ['half a character', design.replace('more', '\\ud800')],
  ['a character that no database takes', design.replace('more', '\\u0000')],
  ['an escape sequence', episode.replace('training', '\\u001b[31m')],
  ['a line break in an activity', episode.replace('training', 'a\\nb')],
  ['a missing count', usage.replace('"inputTokens":100,', '')],
  ['a broken count', usage.replace('100', '100.5')],
  ['a count past all reason', usage.replace('100', '1e15')],
  ['a line past its length', design.replace('more', 'm'.repeat(researchLogLimits.lineCharsMax))],
  ['a note past its length', design.replace('more', 'm'.repeat(researchLogLimits.noteCharsMax + 1))],
  ['nesting past all reason', '['.repeat(70_000)],
])('%s is a problem of its line', (_, text) => {
  const { lines, problems } = readResearchLog(`\n${text}`);
  expect(lines).toEqual([]);
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) expect(problem.at).toMatch(/^line 2/);
});

test('a file of nothing but problems gives a bounded list that says how many more there are', () => {
  const { problems } = readResearchLog('x\n'.repeat(researchLogLimits.problemsMax + 7));
  expect(problems).toHaveLength(researchLogLimits.problemsMax + 1);
  expect(problems.at(-1)?.message).toBe('and 7 more problem(s) of this kind');
});

test('any lines come back as they were, each once, in order', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 30 }), (lines) => {
      const read = readResearchLog(lines.map((line) => JSON.stringify(line)).join('\n'));
      expect(read.problems).toEqual([]);
      const once = [...new Map(lines.map((line) => [lineDigest(line), line])).values()];
      expect(read.lines.map(({ line }) => line)).toEqual(once);
      expect(read.lines.length + read.repeated).toBe(lines.length);
    }),
  );
});

test('a line is the same line whatever the order of its members and the space between them', () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      const turned = Object.fromEntries(Object.entries(line).reverse());
      const read = readResearchLog(
        `${JSON.stringify(line)}\n${JSON.stringify(turned, null, 1).replaceAll('\n', ' ')}`,
      );
      expect(read).toMatchObject({ repeated: 1, problems: [] });
      expect(read.lines[0]?.digest).toBe(lineDigest(line));
    }),
  );
});

test('any text at all is read without throwing', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.json().map((text) => `${text}\n{`),
      ),
      (text) => {
        const { lines, problems } = readResearchLog(text);
        expect(lines.length + problems.length).toBeGreaterThanOrEqual(
          text.trim().replace(/^\uFEFF/, '') === '' ? 0 : 1,
        );
      },
    ),
  );
});
