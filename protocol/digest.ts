import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { canonicalJson } from './canonicalJson.ts';

/** A SHA-256 as 64 lowercase hexadecimal digits, the only spelling accepted anywhere. */
export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 as 64 lowercase hexadecimal digits')
  .brand<'Sha256'>();

/** A SHA-256 that has been checked or computed here: 64 lowercase hexadecimal digits. */
export type Sha256 = z.infer<typeof sha256Schema>;

/**
 * SHA-256 of bytes, or of a string's UTF-8.
 *
 * For messages and headers; weight bytes are hashed by the caller, in worker threads.
 */
export function sha256Hex(input: Uint8Array | string): Sha256 {
  const bytes = typeof input === 'string' ? utf8ToBytes(input) : input;
  return sha256Schema.parse(bytesToHex(sha256(bytes)));
}

/** SHA-256 of a value's canonical JSON: how manifests, settings, orders and seasons are named. */
export function jsonDigest(value: unknown): Sha256 {
  return sha256Hex(canonicalJson(value));
}
