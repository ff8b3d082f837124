import { sha256Schema } from '@vtb/protocol/digest.ts';

/**
 * Reads a list of SHA-256s of problem texts, one a line: the public texts that a hidden split must avoid.
 *
 * throws  RangeError naming the first line that is none; an exclusion that is only half read is worse than
 *         none, because nobody would notice.
 */
export function readExcludedTexts(bytes: Uint8Array): ReadonlySet<string> {
  const lines = new TextDecoder().decode(bytes).trimEnd().split('\n');
  return new Set(
    lines.map((line, index) => {
      const parsed = sha256Schema.safeParse(line);
      if (!parsed.success) throw new RangeError(`Line ${index + 1} is no SHA-256`);
      return parsed.data;
    }),
  );
}
