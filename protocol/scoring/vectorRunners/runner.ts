import { z } from 'zod';
import type { Fraction } from '../fraction.ts';
import type { Interval } from '../interval.ts';

/**
 * Computes what a known answer states, from its input, by the functions beside the vectors; throws RangeError
 * where they refuse. `inputOf` reads the input of another case, for the inputs that point at one.
 */
export type Runner = (input: unknown, inputOf: (group: string, at: number) => unknown) => unknown;

/** Runners by group name. */
export type Runners = Readonly<Record<string, Runner>>;

/** A list of numbers, as the vectors write counts. */
export const numbers = z.array(z.number());

/** An object of numbers with exactly these keys needed; others are ignored. */
export function figures<Key extends string>(...keys: readonly Key[]) {
  return z.record(z.string(), z.unknown()).transform((input, context) => {
    const entries = keys.map((key) => [key, z.number().safeParse(input[key])] as const);
    for (const [key, { success }] of entries)
      if (!success) context.addIssue({ code: 'custom', message: `${key} isn't a number` });
    return Object.fromEntries(entries.map(([key, { data }]) => [key, data ?? Number.NaN])) as Record<
      Key,
      number
    >;
  });
}

/** K of N as a fraction. */
export function share(K: number, N: number): Fraction {
  return { numerator: K, denominator: N };
}

/** [low, high], as the vectors write intervals. */
export function bounds({ low, high }: Interval): readonly [number, number] {
  return [low, high];
}
