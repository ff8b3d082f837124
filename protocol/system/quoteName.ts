/** Longer foreign names are cut here: a message stays readable whatever a file contains. */
const shownCharactersMax = 120;

/**
 * A foreign name in quotes, safe to show anywhere: controls, invisible and direction-changing characters
 * and lone surrogates are spelled as escapes, and more than 120 characters are cut with their number.
 */
export function quoteName(name: string): string {
  const kept = [...name.slice(0, 2 * shownCharactersMax)].slice(0, shownCharactersMax);
  const text = kept.map(visible).join('');
  const left = name.length - kept.join('').length;
  return left > 0 ? `"${text}…" (and ${left} more)` : `"${text}"`;
}

/** Where a problem is: a file, and a tensor or key in it, as `weights/a.gguf # "blk.0.attn_q.weight"`. */
export function partOf(path: string, name: string): string {
  return `${path} # ${quoteName(name)}`;
}

function visible(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  if (character === ' ' || !/[\p{C}\p{Z}]/u.test(character)) return character;
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
