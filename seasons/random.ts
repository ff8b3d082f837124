import { randomBytes } from 'node:crypto';

/** Gives the next 32 random bits, as a whole number from 0 to 2³² − 1. */
export type RandomUint32 = () => number;

/** The kernel's cryptographic randomness: what production uses for hidden splits. */
export function cryptoRandom(): RandomUint32 {
  return () => randomBytes(4).readUInt32LE(0);
}

/**
 * A whole number from low to high, both included, each equally likely.
 *
 * Draws again where the last, incomplete cycle of 2³² would favour small numbers.
 * throws  RangeError when the range is empty or has more than 2³² numbers.
 */
export function randomInt(random: RandomUint32, low: number, high: number): number {
  const count = high - low + 1;
  if (!Number.isSafeInteger(count) || count < 1 || count > 2 ** 32) {
    throw new RangeError(`No whole number from ${low} to ${high} can be drawn`);
  }
  const limit = 2 ** 32 - (2 ** 32 % count);
  let drawn = random();
  while (drawn >= limit) drawn = random();
  return low + (drawn % count);
}

/** One of the items, each equally likely. */
export function randomItem<Item>(random: RandomUint32, items: readonly Item[]): Item {
  const item = items[randomInt(random, 0, items.length - 1)];
  if (item === undefined) throw new RangeError('Nothing to draw from');
  return item;
}
