import { z } from 'zod';
import { jsonDigest, type Sha256, sha256Schema } from '../digest.ts';
import { systemLimits } from './limits.ts';
import { manifestRules } from './manifestRules.ts';

/**
 * What a file of a system is for; its path decides:
 * `weights` everything under weights/, `harness` everything under harness/, `description` system.toml,
 * `researchLog` research.jsonl. A system has no other files.
 */
export const fileRoles = ['weights', 'harness', 'description', 'researchLog'] as const;

/** What a file of a system is for. */
export type FileRole = (typeof fileRoles)[number];

const bytes = (max: number) =>
  z.int('must be a whole number of bytes').min(0, 'must not be negative').max(max, `must be at most ${max}`);

/** A piece of a file, named by its content: 1 byte to 16 MiB. */
export const chunkSchema = z
  .strictObject({
    sha256: sha256Schema,
    size: bytes(systemLimits.chunkBytesMax).min(1, 'must be at least 1: an empty file has no chunks'),
  })
  .readonly();

/** A piece of a file, named by its content. */
export type Chunk = z.infer<typeof chunkSchema>;

/** One file of a system: its chunks cover every byte in file order, cut as `canonicalCut` cuts. */
export const manifestFileSchema = z
  .strictObject({
    path: z.string().min(1, 'must not be empty').max(1_024, 'must be at most 1,024 characters'),
    role: z.enum(fileRoles, { error: `must be one of ${fileRoles.join(', ')}` }),
    size: bytes(systemLimits.fileBytesMax),
    chunks: z.array(chunkSchema).max(systemLimits.chunkCountMax, 'must be at most 65,536').readonly(),
  })
  .readonly();

/** One file of a system. */
export type ManifestFile = z.infer<typeof manifestFileSchema>;

const editOrder = ['data', 'trainer', 'harness'] as const;

/** The types and ranges of a manifest, without the rules that look across its parts. */
export const manifestShapeSchema = z
  .strictObject({
    schema: z.literal(1, { error: 'must be 1' }),
    track: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/, 'must be the id of a track'),
    edits: z
      .array(z.enum(editOrder, { error: `must be one of ${editOrder.join(', ')}` }))
      .refine(
        (edits) => editOrder.filter((edit) => edits.includes(edit)).join() === edits.join(),
        'must name each edit at most once, in the order data, trainer, harness',
      )
      .readonly(),
    files: z.array(manifestFileSchema).max(systemLimits.fileCountMax, 'must be at most 5,302').readonly(),
  })
  .readonly();

/**
 * A system as a list of named bytes: `{schema: 1, track, edits, files}`. Strict and canonical: files in
 * ascending order of their paths' UTF-16 units, edits in the order data, trainer, harness, so that one
 * system has one digest. For all problems with codes use `readManifest`.
 */
export const manifestSchema = manifestShapeSchema.superRefine((manifest, context) => {
  for (const { at, message } of manifestRules(manifest.files)) {
    context.addIssue({ code: 'custom', path: ['files', at], message });
  }
});

/** A system as a list of named bytes. */
export type Manifest = z.infer<typeof manifestSchema>;

/** The system's digest: SHA-256 of its manifest's canonical JSON. */
export function manifestDigest(manifest: Manifest): Sha256 {
  return jsonDigest(manifest);
}
