import { type RandomUint32, randomInt, randomItem } from '../random.ts';

/** A problem's text and its answer, a whole number from 0 to 999. */
export interface WordmathProblem {
  readonly problem: string;
  readonly answer: number;
}

const names =
  'Ada Ben Cleo Dan Eve Finn Gia Hugo Iris Jon Kay Leo Mia Ned Ola Pia Quin Ray Sue Tom Uma Vic Wes Xan Yao Zoe'.split(
    ' ',
  );
const items = 'apples books coins marbles stamps cards shells pens beads stones tickets eggs'.split(' ');
const boxes = 'boxes bags crates jars shelves trays'.split(' ');

/**
 * The ten kinds, in the order of rotation. Ranges and wording are those the example models were taught
 * with: a model that was taught a kind can do it, and only such a split separates them.
 */
export const wordmathKinds = { add, sub, mul, three, addsub, muladd, mul2, div, mod, gcd } as const;

/** A kind of problem. */
export type WordmathKind = keyof typeof wordmathKinds;

function add(random: RandomUint32): WordmathProblem {
  const [a, b] = pairWhere(
    () => [randomInt(random, 10, 899), randomInt(random, 10, 899)],
    (x, y) => x + y <= 999,
  );
  const n = randomItem(random, names);
  const i = randomItem(random, items);
  const problem = randomItem(random, [
    `${n} has ${a} ${i} and buys ${b} more. How many ${i} are there now?`,
    `${n} found ${a} ${i} on Monday and ${b} on Tuesday. How many ${i} were found in all?`,
  ]);
  return { problem, answer: a + b };
}

function sub(random: RandomUint32): WordmathProblem {
  const a = randomInt(random, 20, 999);
  const b = randomInt(random, 10, a);
  const n = randomItem(random, names);
  const i = randomItem(random, items);
  const problem = randomItem(random, [
    `${n} had ${a} ${i} and gave away ${b}. How many ${i} are left?`,
    `A shop had ${a} ${i} and sold ${b}. How many ${i} remain?`,
  ]);
  return { problem, answer: a - b };
}

function mul(random: RandomUint32): WordmathProblem {
  const a = randomInt(random, 11, 99);
  const b = randomInt(random, 2, 9);
  const x = randomItem(random, boxes);
  const i = randomItem(random, items);
  const problem = randomItem(random, [
    `There are ${b} ${x} with ${a} ${i} in each. How many ${i} are there in total?`,
    `Each of ${b} ${x} holds ${a} ${i}. How many ${i} do they hold together?`,
  ]);
  return { problem, answer: a * b };
}

function three(random: RandomUint32): WordmathProblem {
  const a = randomInt(random, 10, 399);
  const b = randomInt(random, 10, 299);
  const c = randomInt(random, 10, 299);
  const n = randomItem(random, names);
  const i = randomItem(random, items);
  const problem = `${n} counted ${a} ${i}, then ${b}, then ${c}. How many ${i} were counted altogether?`;
  return { problem, answer: a + b + c };
}

function addsub(random: RandomUint32): WordmathProblem {
  const a = randomInt(random, 10, 499);
  const b = randomInt(random, 10, 499);
  const c = randomInt(random, 10, a + b);
  const n = randomItem(random, names);
  const i = randomItem(random, items);
  const problem = `${n} had ${a} ${i}, got ${b} more and then lost ${c}. How many ${i} are left?`;
  return { problem, answer: a + b - c };
}

function muladd(random: RandomUint32): WordmathProblem {
  const a = randomInt(random, 11, 89);
  const b = randomInt(random, 2, 9);
  const c = randomInt(random, 5, 999 - a * b);
  const x = randomItem(random, boxes);
  const i = randomItem(random, items);
  const problem = `A store has ${b} ${x} of ${a} ${i} and ${c} loose ones. How many ${i} does it have?`;
  return { problem, answer: a * b + c };
}

function mul2(random: RandomUint32): WordmathProblem {
  const [a, b] = pairWhere(
    () => [randomInt(random, 11, 83), randomInt(random, 11, 83)],
    (x, y) => x * y <= 999,
  );
  const i = randomItem(random, items);
  return { problem: `A wall has ${a} rows of ${b} ${i}. How many ${i} are on the wall?`, answer: a * b };
}

function div(random: RandomUint32): WordmathProblem {
  const [b, q] = pairWhere(
    () => [randomInt(random, 2, 12), randomInt(random, 5, 99)],
    (x, y) => x * y <= 999,
  );
  const i = randomItem(random, items);
  const problem = `${b * q} ${i} are shared equally among ${b} friends. How many ${i} does each friend get?`;
  return { problem, answer: q };
}

function mod(random: RandomUint32): WordmathProblem {
  const a = randomInt(random, 20, 999);
  const b = randomInt(random, 3, 12);
  const x = randomItem(random, boxes);
  const i = randomItem(random, items);
  return { problem: `${a} ${i} are packed into ${x} of ${b}. How many ${i} are left over?`, answer: a % b };
}

function gcd(random: RandomUint32): WordmathProblem {
  const factors = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20];
  // The first draw may take all factors, a repeated one only those to 12: so it was in teaching.
  let g = randomItem(random, factors);
  let m = randomInt(random, 2, 40);
  let n = randomInt(random, 2, 40);
  while (g * Math.max(m, n) > 300 || m === n) {
    g = randomItem(random, factors.slice(0, 11));
    m = randomInt(random, 2, 40);
    n = randomInt(random, 2, 40);
  }
  const [a, b] = [g * m, g * n];
  return { problem: `What is the greatest common divisor of ${a} and ${b}?`, answer: divisor(a, b) };
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

function pairWhere(draw: () => [number, number], holds: (x: number, y: number) => boolean): [number, number] {
  let pair = draw();
  while (!holds(...pair)) pair = draw();
  return pair;
}
