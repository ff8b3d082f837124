/**
 * Cuts a server-sent event stream into the data of its events.
 *
 * push(bytes) returns the data texts completed by them. Handles events split anywhere, also inside a character.
 * One event is bounded by `eventBytesMax`; a longer one throws RangeError: the engine is broken.
 */
export function eventSplitter(eventBytesMax: number) {
  const decoder = new TextDecoder();
  let held = '';
  return {
    push(bytes: Uint8Array): readonly string[] {
      held += decoder.decode(bytes, { stream: true });
      const events = held.split(/\r?\n\r?\n/);
      held = events.pop() ?? '';
      if (held.length > eventBytesMax) throw new RangeError(`an event is longer than ${eventBytesMax} bytes`);
      return events.flatMap((event) => {
        const data = event
          .split(/\r?\n/)
          .filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5).replace(/^ /, ''));
        return data.length === 0 ? [] : [data.join('\n')];
      });
    },
  };
}
