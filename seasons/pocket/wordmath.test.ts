import { createCipheriv } from 'node:crypto';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cryptoRandom, type RandomUint32 } from '../random.ts';
import { solveWordmath } from './solveWordmath.fixture.ts';
import reference from './wordmath.reference.json' with { type: 'json' };
import { generateWordmath } from './wordmath.ts';
import { type WordmathKind, wordmathKinds } from './wordmathKinds.ts';

const kinds = Object.keys(wordmathKinds) as WordmathKind[];

/** AES in counter mode: the same well-mixed 32-bit values on every machine. */
function seeded(seed: number): RandomUint32 {
  const key = Buffer.alloc(16);
  key.writeInt32LE(seed);
  const stream = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  let block = Buffer.alloc(0);
  let offset = 0;
  return () => {
    if (offset === block.length) {
      block = stream.update(Buffer.alloc(16_384));
      offset = 0;
    }
    offset += 4;
    return block.readUInt32LE(offset - 4);
  };
}

function generate(seed: number, perKind: number, exclude: ReadonlySet<string> = new Set()) {
  return generateWordmath({ perKind, idPrefix: 'test', exclude }, seeded(seed));
}

test('every answer is the one that follows from the text, whole and from 0 to 999', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      for (const task of generate(seed, 5)) {
        const solved = solveWordmath(task.problem);
        const whole = Number.isInteger(task.answer) && task.answer >= 0 && task.answer <= 999;
        if (!whole || solved.kind !== task.kind || solved.answer !== task.answer) {
          throw new Error(
            `${task.kind}: ${task.problem} ${task.answer}, solved as ${JSON.stringify(solved)}`,
          );
        }
      }
    }),
  );
});

test('kinds come in equal parts, ids are running, and no text comes twice', () => {
  const tasks = generate(1, 100);
  expect(tasks.map(({ kind }) => kind)).toEqual(Array.from({ length: 100 }, () => kinds).flat());
  expect([tasks[0]?.id, tasks[999]?.id]).toEqual(['test-00000', 'test-00999']);
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(1_000);
  expect(new Set(tasks.map(({ problem }) => problem)).size).toBe(1_000);
});

test('no excluded text comes out, and excluding does not change what else is possible', () => {
  const first = generate(2, 20);
  const excluded = new Set<string>(first.map(({ problem }) => sha256Hex(problem)));
  const second = generate(2, 20, excluded);
  expect(second).toHaveLength(200);
  for (const { problem } of second) expect(excluded.has(sha256Hex(problem))).toBe(false);
});

test('a kind with no new text left is an error, not an endless search or a repeated problem', () => {
  class Everything extends Set<string> {
    override has(): boolean {
      return true;
    }
  }
  expect(() => generate(7, 2, new Everything())).toThrow('No new problem of kind add in 1000 draws');
});

test('the same randomness gives the same tasks, other randomness others', () => {
  expect(generate(3, 10)).toEqual(generate(3, 10));
  expect(generate(3, 10)).not.toEqual(generate(4, 10));
  const crypto = () => generateWordmath({ perKind: 2, idPrefix: 'test', exclude: new Set() }, cryptoRandom());
  expect(crypto()).not.toEqual(crypto());
});

/**
 * wordmath.reference.json holds, for every number in a kind's text and for its answer, how 200,000 draws of
 * the Python original fall into ten parts, and the least and greatest of them. Chi-square with up to nine degrees of freedom exceeds 50 once in
 * 10⁷ times; the randomness here is fixed, so it does so always or never.
 */
test.each(kinds)('numbers and answers of kind %s are distributed as in the original', (kind) => {
  const draws = 20_000;
  const slots = reference.slots[kind];
  const random = seeded(5);
  const counts = slots.map(({ counts }) => counts.map(() => 0));
  for (let draw = 0; draw < draws; draw += 1) {
    const { problem, answer } = wordmathKinds[kind](random);
    const values = [...(problem.match(/\d+/g) ?? []).map(Number), answer];
    if (values.length !== slots.length) throw new Error(`Not ${slots.length - 1} numbers: ${problem}`);
    values.forEach((value, index) => {
      const slot = slots[index];
      const slotCounts = counts[index];
      if (slot === undefined || slotCounts === undefined) return;
      // The original's draws may have missed the very ends of a thin tail.
      if (value < slot.min - 5 || value > slot.max + 5)
        throw new Error(`${value} is outside the range: ${problem}`);
      const past = slot.edges.findIndex((edge) => value <= edge);
      const part = past < 0 ? slot.edges.length : past;
      slotCounts[part] = (slotCounts[part] ?? 0) + 1;
    });
  }
  slots.forEach((slot, index) => {
    const chiSquare = slot.counts.reduce((sum, expected, part) => {
      const scaled = (expected * draws) / reference.draws;
      return sum + ((counts[index]?.[part] ?? 0) - scaled) ** 2 / scaled;
    }, 0);
    expect(chiSquare).toBeLessThan(50);
  });
});

test('names, things, containers and wordings are drawn evenly', () => {
  const random = seeded(6);
  const words = new Map<string, number>();
  for (let draw = 0; draw < 26_000; draw += 1) {
    const form = wordmathKinds.add(random).problem.replace(/\d+/g, '#');
    const [name = '', verb = '', , thing = ''] = form.split(' ');
    for (const word of [name, verb, thing]) words.set(word, (words.get(word) ?? 0) + 1);
  }
  const chiSquare = (names: string[], expected: number) =>
    names.reduce((sum, name) => sum + ((words.get(name) ?? 0) - expected) ** 2 / expected, 0);
  const people = [...words.keys()].filter((word) => /^[A-Z]/.test(word));
  const things = [...words.keys()].filter((word) => /^[a-z]/.test(word) && !/^(has|found)$/.test(word));
  expect([people.length, things.length]).toEqual([26, 12]);
  expect(chiSquare(people, 1_000)).toBeLessThan(90);
  expect(chiSquare(things, 26_000 / 12)).toBeLessThan(60);
  expect(chiSquare(['has', 'found'], 13_000)).toBeLessThan(28);
});
