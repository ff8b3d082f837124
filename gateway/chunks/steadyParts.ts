import type { Readable } from 'node:stream';
import { Refusal } from '@vtb/protocol/errors.ts';

/** How slow a sender may be: after `graceMs` of waiting for it, its bytes must have come at this rate. */
export interface Pace {
  readonly graceMs: number;
  readonly bytesPerSecondMin: number;
}

/** A sender that pauses this long gets no memory to fill meanwhile. */
const pauseMs = 250;

/**
 * The parts of a body as they come, and null whenever its sender pauses. Only time spent waiting for the sender counts
 * against it, never time in which we were busy with what it sent.
 *
 * throws  Refusal upload.tooSlow or upload.brokenOff, the signal's reason, or what the stream fails with. The stream is not destroyed, so
 *         that an answer can still go out on its connection.
 */
export async function* steadyParts(
  input: { readonly bytes: Readable; readonly signal: AbortSignal },
  pace: Pace,
): AsyncGenerator<Uint8Array | null> {
  const parts = input.bytes.iterator({ destroyOnReturn: false });
  let received = 0;
  let waitedMs = 0;
  let next = parts.next();
  for (;;) {
    const since = performance.now();
    const arrived = await soon(next, input.signal);
    waitedMs += performance.now() - since;
    if (arrived === null) {
      input.signal.throwIfAborted();
      refuseSlow(received, waitedMs, pace);
      yield null;
      continue;
    }
    if (arrived.done) return;
    const part: unknown = arrived.value;
    if (!(part instanceof Uint8Array)) throw new TypeError('a chunk comes as bytes');
    received += part.byteLength;
    next = parts.next();
    // It may fail while we are busy with this part; the next round hears of it.
    next.catch(() => undefined);
    yield part;
  }
}

/** What comes within the pause, or null; also null, at once, when the signal aborts. */
async function soon<Part>(next: Promise<Part>, signal: AbortSignal): Promise<Part | null> {
  const pause = Promise.withResolvers<null>();
  const end = () => pause.resolve(null);
  const timer = setTimeout(end, pauseMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([next, pause.promise]);
  } catch (cause) {
    if (isBroken(cause))
      throw new Refusal(
        'upload.brokenOff',
        'the connection ended before the bytes did; send the chunk again',
      );
    throw cause;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** What Node says of a request whose sender is gone. */
function isBroken(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    'code' in cause &&
    (cause.code === 'ECONNRESET' || cause.code === 'ERR_STREAM_PREMATURE_CLOSE')
  );
}

function refuseSlow(received: number, waitedMs: number, { graceMs, bytesPerSecondMin }: Pace): void {
  const seconds = (waitedMs - graceMs) / 1000;
  if (seconds <= 0 || received >= seconds * bytesPerSecondMin) return;
  throw new Refusal(
    'upload.tooSlow',
    `${received} bytes came in ${Math.round(waitedMs / 1000)} s; at least ${bytesPerSecondMin} a second have to. Send the chunk again`,
  );
}
