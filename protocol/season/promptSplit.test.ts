import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { promptSplitDigest, promptTaskSchema } from './promptSplit.ts';

const tasks = [
  { id: 'a-1', problem: '1 + 1?', answer: 2 },
  { id: 'a-2', problem: '2 + 2?', answer: 4 },
];

test('the digest is SHA-256 over the sorted task digests, as anybody can compute it', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const digests = [
    hash('{"answer":2,"id":"a-1","problem":"1 + 1?"}'),
    hash('{"answer":4,"id":"a-2","problem":"2 + 2?"}'),
  ];
  expect(promptSplitDigest(tasks)).toBe(hash(JSON.stringify(digests.sort())));
});

test('the digest does not depend on the order of tasks, and on every member of every task', () => {
  const taskList = fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      problem: fc.string({ minLength: 1, unit: 'grapheme' }),
      answer: fc.integer(),
    }),
    { minLength: 1, maxLength: 8, selector: (task) => task.problem },
  );
  fc.assert(
    fc.property(taskList, fc.nat(), (list, seed) => {
      const digest = promptSplitDigest(list);
      const turned = [...list.slice(seed % list.length), ...list.slice(0, seed % list.length)];
      expect(promptSplitDigest(turned.reverse())).toBe(digest);
      const [first, ...rest] = list;
      if (first === undefined) return;
      for (const change of [
        { id: 'x' },
        { problem: `${first.problem}x\u{0}` },
        { answer: first.answer + 1 },
      ]) {
        expect(promptSplitDigest([{ ...first, ...change }, ...rest])).not.toBe(digest);
      }
    }),
  );
});

test('a split that counts one task for two, or none, has no digest, and the message holds no text', () => {
  const [first] = tasks;
  expect(() => promptSplitDigest([])).toThrow(RangeError);
  expect(() => promptSplitDigest([...tasks, { id: 'a-1', problem: 'secret', answer: 1 }])).toThrow(
    'Tasks 1 and 3 of a split have the same id',
  );
  expect(() =>
    promptSplitDigest([...tasks, { id: 'a-3', problem: first?.problem ?? '', answer: 1 }]),
  ).toThrow(/^Tasks 1 and 3 of a split have the same problem text$/);
});

test('a task with a fractional answer, a strange id or a further key is refused', () => {
  const [task] = tasks;
  for (const change of [{ answer: 1.5 }, { id: '../x' }, { id: '' }, { problem: '' }, { solution: 'x' }]) {
    expect(promptTaskSchema.safeParse({ ...task, ...change }).success).toBe(false);
  }
});
