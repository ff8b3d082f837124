/**
 * The longest end of a text whose JSON, in UTF-8, has at most `jsonBytesMax` bytes without its quotes. Whole characters
 * only; half of a pair counts as the escape that JSON writes for it. Pure.
 */
export function textTail(text: string, jsonBytesMax: number): string {
  // No character takes more: what surely fits isn't counted.
  if (text.length * escapeBytes <= jsonBytesMax) return text;
  let start = text.length;
  for (let bytes = 0; start > 0; ) {
    const units = isPair(text, start - 2) ? 2 : 1;
    bytes += units === 2 ? 4 : jsonBytes(text.charCodeAt(start - 1));
    if (bytes > jsonBytesMax) break;
    start -= units;
  }
  return text.slice(start);
}

/** `\u0000` */
const escapeBytes = 6;

/** Bytes of a UTF-16 unit that is no half of a pair, as JSON.stringify writes it. */
function jsonBytes(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  // \b \t \n \f \r
  if (unit < 0x20) return unit >= 8 && unit <= 13 && unit !== 11 ? 2 : escapeBytes;
  if (unit >= 0xd800 && unit <= 0xdfff) return escapeBytes;
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

function isPair(text: string, at: number): boolean {
  return at >= 0 && (text.codePointAt(at) ?? 0) > 0xffff;
}
