/**
 * Turns tokens into text piece by piece without ever showing half a character, and stops at stop strings.
 *
 * detokenize(tokens, before) gives the text of `tokens` that follow `before`.
 */
export function createTextStream(
  detokenize: (tokens: readonly number[], before: readonly number[]) => string,
  stops: readonly string[],
) {
  let before: readonly number[] = [];
  let pending: readonly number[] = [];
  let held = '';
  const longestStop = Math.max(0, ...stops.map((s) => s.length));

  return {
    /** Adds a token; `text` may be empty while a character or a possible stop string is incomplete. */
    push(token: number): { readonly text: string; readonly isStopped: boolean } {
      pending = [...pending, token];
      const text = detokenize(pending, before);
      if (text.endsWith('\uFFFD') && pending.length < tokensPerCharacterMax)
        return { text: '', isStopped: false };
      before = pending;
      pending = [];
      held += text;
      const at = firstStop(held, stops);
      if (at !== null) {
        const shown = held.slice(0, at);
        held = '';
        return { text: shown, isStopped: true };
      }
      return { text: release(longestStop === 0 ? 0 : longestStop - 1), isStopped: false };
    },
    /** What is still held when generation ends. */
    flush(): string {
      held += pending.length === 0 ? '' : detokenize(pending, before);
      pending = [];
      return release(0);
    },
  };

  function release(keep: number): string {
    const cut = Math.max(0, held.length - keep);
    const shown = held.slice(0, cut);
    held = held.slice(cut);
    return shown;
  }
}

/** A UTF-8 character has at most 4 bytes, and a byte-level token at least one. */
const tokensPerCharacterMax = 4;

function firstStop(text: string, stops: readonly string[]): number | null {
  const found = stops.map((s) => text.indexOf(s)).filter((i) => i >= 0);
  return found.length === 0 ? null : Math.min(...found);
}
