import { jsonDigest, type Sha256 } from '../digest.ts';
import type { ResearchLine } from './line.ts';

/**
 * What makes a line the same line: SHA-256 of its canonical JSON. Order of keys and white space don't matter, so a file
 * that is appended a second time, or that has grown since, adds only what is new.
 */
export function lineDigest(line: ResearchLine): Sha256 {
  return jsonDigest(line);
}
