const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * Text that others wrote, made safe for a terminal: control and invisible characters are shown as their code points,
 * so that a name can't move the cursor, change colours or hide.
 */
export function plainText(text: string): string {
  return text.replaceAll(unsafe, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A document as JSON that is as safe for a terminal: the same characters are written as JSON's own escapes. */
export function plainJson(document: unknown): string {
  return JSON.stringify(document, null, 2).replaceAll(unsafe, (character) =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, index) => unitEscape(character, index)).join(''),
  );
}

function unitEscape(character: string, index: number): string {
  return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
}
