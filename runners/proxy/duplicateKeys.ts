/**
 * The paths of keys that a JSON text has twice in one object, such as `messages[0].content`.
 *
 * Parsers differ in which of the two they believe, so a text with any is refused before anything reads it.
 * text must be valid JSON (JSON.parse accepted it); escapes are decoded, so "\u0061" equals "a".
 */
export function duplicateKeys(text: string): readonly string[] {
  const found: string[] = [];
  const open: Frame[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const top = open.at(-1);
    switch (text[at]) {
      case '{':
        open.push({ keys: new Set(), key: null, isKeyNext: true, index: 0 });
        break;
      case '[':
        open.push({ keys: null, key: null, isKeyNext: false, index: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (top?.keys) top.isKeyNext = true;
        else if (top) top.index += 1;
        break;
      case '"': {
        const end = stringEnd(text, at);
        if (top?.keys && top.isKeyNext) {
          const key = String(JSON.parse(text.slice(at, end + 1)));
          top.key = key;
          top.isKeyNext = false;
          if (top.keys.has(key)) found.push(pathOf(open));
          top.keys.add(key);
        }
        at = end;
        break;
      }
      default:
    }
  }
  return [...new Set(found)];
}

type Frame = { readonly keys: Set<string> | null; key: string | null; isKeyNext: boolean; index: number };

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function pathOf(open: readonly Frame[]): string {
  return open
    .map((f) => (f.keys === null ? `[${f.index}]` : `.${f.key ?? ''}`))
    .join('')
    .replace(/^\./, '');
}
