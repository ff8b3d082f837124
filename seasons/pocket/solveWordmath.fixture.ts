import type { WordmathKind } from './wordmathKinds.ts';

type Solver = readonly [WordmathKind, RegExp, (...numbers: number[]) => number];

/** By trying every divisor downwards: slow, and nothing in common with the generator's way. */
function commonDivisor(a = 0, b = 0): number {
  for (let divisor = Math.min(a, b); divisor > 1; divisor -= 1) {
    if (a % divisor === 0 && b % divisor === 0) return divisor;
  }
  return 1;
}

const one = '[A-Z][a-z]+';
const many = '[a-z]+';

const solvers: readonly Solver[] = [
  [
    'add',
    RegExp(`^${one} has # (${many}) and buys # more\\. How many \\1 are there now\\?$`),
    (a = 0, b = 0) => a + b,
  ],
  [
    'add',
    RegExp(`^${one} found # (${many}) on Monday and # on Tuesday\\. How many \\1 were found in all\\?$`),
    (a = 0, b = 0) => a + b,
  ],
  [
    'sub',
    RegExp(`^${one} had # (${many}) and gave away #\\. How many \\1 are left\\?$`),
    (a = 0, b = 0) => a - b,
  ],
  ['sub', RegExp(`^A shop had # (${many}) and sold #\\. How many \\1 remain\\?$`), (a = 0, b = 0) => a - b],
  [
    'mul',
    RegExp(`^There are # ${many} with # (${many}) in each\\. How many \\1 are there in total\\?$`),
    (a = 0, b = 0) => a * b,
  ],
  [
    'mul',
    RegExp(`^Each of # ${many} holds # (${many})\\. How many \\1 do they hold together\\?$`),
    (a = 0, b = 0) => a * b,
  ],
  [
    'three',
    RegExp(`^${one} counted # (${many}), then #, then #\\. How many \\1 were counted altogether\\?$`),
    (a = 0, b = 0, c = 0) => a + b + c,
  ],
  [
    'addsub',
    RegExp(`^${one} had # (${many}), got # more and then lost #\\. How many \\1 are left\\?$`),
    (a = 0, b = 0, c = 0) => a + b - c,
  ],
  [
    'muladd',
    RegExp(`^A store has # ${many} of # (${many}) and # loose ones\\. How many \\1 does it have\\?$`),
    (a = 0, b = 0, c = 0) => a * b + c,
  ],
  [
    'mul2',
    RegExp(`^A wall has # rows of # (${many})\\. How many \\1 are on the wall\\?$`),
    (a = 0, b = 0) => a * b,
  ],
  [
    'div',
    RegExp(`^# (${many}) are shared equally among # friends\\. How many \\1 does each friend get\\?$`),
    (a = 0, b = 0) => a / b,
  ],
  [
    'mod',
    RegExp(`^# (${many}) are packed into ${many} of #\\. How many \\1 are left over\\?$`),
    (a = 0, b = 0) => a - b * Math.floor(a / b),
  ],
  ['gcd', /^What is the greatest common divisor of # and #\?$/, commonDivisor],
];

/**
 * Reads a word problem and works out its answer from the text alone, independently of the generator.
 *
 * throws  when the text is of no known form, or of more than one.
 */
export function solveWordmath(problem: string): { kind: WordmathKind; answer: number; numbers: number[] } {
  const numbers = (problem.match(/\d+/g) ?? []).map(Number);
  const form = problem.replace(/\d+/g, '#');
  const fitting = solvers.filter(([, pattern]) => pattern.test(form));
  const [solver] = fitting;
  if (solver === undefined || fitting.length > 1) throw new Error(`${fitting.length} forms fit: ${problem}`);
  const [kind, , solve] = solver;
  return { kind, answer: solve(...numbers), numbers };
}
