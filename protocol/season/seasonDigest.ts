import { type Sha256, sha256Hex } from '../digest.ts';

/**
 * Names a season: SHA-256 of its TOML's bytes as they are on disk. The TOML names every other file of the
 * season by digest, so this covers them too.
 */
export function seasonDigest(toml: Uint8Array): Sha256 {
  return sha256Hex(toml);
}
