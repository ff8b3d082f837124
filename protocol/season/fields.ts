import { z } from 'zod';
import { sha256Schema } from '../digest.ts';
import { closedObject } from './closedObject.ts';

/** Names seasons, tracks and generators in paths, addresses and signed messages. */
export const slugSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/,
    'must be 1 to 48 lowercase letters, digits and inner hyphens',
  );

/** A line of prose for people. */
export const lineSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(300, 'must be at most 300 characters')
  .regex(/^\P{Cc}*$/u, 'must be one line without control characters');

/** Prose for people, a paragraph at most. */
export const proseSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(2_000, 'must be at most 2,000 characters');

/** A whole number from 1. */
export const countSchema = z.int('must be a whole number').min(1, 'must be at least 1');

/** An instant in RFC 3339, UTC. */
export const instantSchema = z.iso.datetime({ error: 'must be an instant with its offset, in RFC 3339' });

/** A path inside the season's folder: portable names, forward slashes, nothing that climbs out. */
export const assetPathSchema = z
  .string()
  .max(200, 'must be at most 200 characters')
  .regex(
    /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/,
    'must be a relative path of letters, digits and . _ - inside the season folder',
  );

/** A file that belongs to the season, bound to its bytes: so the digest of the TOML covers all of it. */
export const assetSchema = closedObject({ path: assetPathSchema, sha256: sha256Schema });

/** A file of the season, with the digest its bytes must have. */
export type Asset = z.infer<typeof assetSchema>;

/** The three parts of a system that a contest can open to change. */
export const editSchema = z.enum(['data', 'trainer', 'harness'], {
  error: 'must be data, trainer or harness',
});

/** One part of a system that may be changed: data, trainer or harness. */
export type Edit = z.infer<typeof editSchema>;

/** A non-empty list of different edits, in the order data, trainer, harness. */
export const editsSchema = z
  .array(editSchema)
  .min(1, 'must name at least one of data, trainer, harness')
  .refine(
    (edits) => editSchema.options.filter((edit) => edits.includes(edit)).join() === edits.join(),
    'must name each edit once, in the order data, trainer, harness',
  )
  .readonly();
