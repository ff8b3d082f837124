import { z } from 'zod';

/** Prefixes of public ids; the rest is 20 characters of lower-case base 32 (100 random bits). */
export const idPrefixes = {
  account: 'acc',
  team: 'team',
  entry: 'ent',
  run: 'run',
  submission: 'sub',
  grading: 'grd',
  order: 'ord',
  report: 'rep',
  replay: 'rpl',
  trial: 'tri',
  runner: 'rnr',
  notice: 'not',
  comparison: 'cmp',
  request: 'req',
} as const;

export type IdKind = keyof typeof idPrefixes;

const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * A new id of a kind from 20 random bytes.
 *
 * random  at least 20 bytes from a cryptographic source.
 * throws  RangeError when fewer are given.
 */
export function newId(kind: IdKind, random: Uint8Array): string {
  if (random.length < 20) throw new RangeError(`an id needs 20 random bytes, got ${random.length}`);
  let text = '';
  for (const byte of random.subarray(0, 20)) text += alphabet[byte & 31];
  return `${idPrefixes[kind]}_${text}`;
}

/** Accepts exactly the ids that `newId` makes for this kind. */
export function idSchema(kind: IdKind) {
  return z
    .string()
    .regex(
      new RegExp(`^${idPrefixes[kind]}_[a-km-np-z2-9]{20}$`),
      `expected an id like ${idPrefixes[kind]}_…`,
    );
}

/** Names of seasons, tracks and other things that people type: lower case, digits, dashes. */
export const slugSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes');

/** RFC 3339 in UTC with a trailing Z. */
export const instantSchema = z.iso.datetime({ offset: false });
