import { open } from 'node:fs/promises';
import type { Sha256 } from '@vtb/protocol/digest.ts';
import { type MissingChunks, missingSchema } from '@vtb/protocol/wire/submissions.ts';
import type { Client } from '../client.ts';
import { Failure } from '../failure.ts';
import type { ReadSystem } from './readSystem.ts';

/** Chunks under way at once: enough to hide a round trip, few enough for 16 MiB each in memory. */
const parallelUploads = 4;
/** Longest that one chunk may take; 16 MiB in ten minutes is 28 KB/s. */
const chunkTimeoutMs = 600_000;
/** Rounds without any progress before giving up; each waits longer. */
const idleRoundsMax = 8;

/**
 * Sends what the service lacks until nothing is missing. Asking again is resuming: after any interruption the same call
 * goes on where the last one ended.
 *
 * onSent   called with the bytes sent so far in this call.
 * throws   Failure('unreachable') when the service stays away; refusals of the service as they come.
 */
export async function uploadChunks(
  input: { readonly submission: string; readonly system: ReadSystem; readonly first: MissingChunks },
  deps: {
    readonly client: Client;
    readonly onSent: (bytes: number, left: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  let round = input.first;
  let sent = 0;
  for (let idle = 0; round.missingCount > 0; ) {
    const before = round.missingCount;
    const failure = await sendAll(round.missing, input, deps, (bytes) => {
      sent += bytes;
      deps.onSent(sent, round.missingCount);
    });
    deps.signal.throwIfAborted();
    if (failure !== null && failure.kind !== 'unreachable') throw failure;
    round = await deps.client.get(`/submissions/${input.submission}/missing`, missingSchema);
    idle = round.missingCount < before ? 0 : idle + 1;
    if (idle > idleRoundsMax)
      throw (
        failure ?? new Failure('unreachable', 'upload.stuck', `${round.missingCount} chunks do not arrive`)
      );
    if (idle > 0) await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** idle));
  }
}

async function sendAll(
  missing: readonly Sha256[],
  input: { readonly submission: string; readonly system: ReadSystem },
  deps: { readonly client: Client; readonly signal: AbortSignal },
  onChunk: (bytes: number) => void,
): Promise<Failure | null> {
  const queue = [...missing];
  let failure: Failure | null = null;
  const worker = async () => {
    for (let sha256 = queue.shift(); sha256 !== undefined && failure === null; sha256 = queue.shift()) {
      try {
        onChunk(await sendOne(sha256, input, deps));
      } catch (cause) {
        if (!(cause instanceof Failure)) throw cause;
        failure ??= cause;
      }
    }
  };
  await Promise.all(Array.from({ length: parallelUploads }, worker));
  return failure;
}

async function sendOne(
  sha256: Sha256,
  input: { readonly submission: string; readonly system: ReadSystem },
  deps: { readonly client: Client; readonly signal: AbortSignal },
): Promise<number> {
  const place = input.system.places.get(sha256);
  if (place === undefined)
    throw new Failure(
      'refused',
      'upload.foreign',
      `the service asks for ${sha256}, which is no chunk of this system`,
    );
  const handle = await open(place.path, 'r');
  try {
    const body = new Uint8Array(place.size);
    const { bytesRead } = await handle.read(body, 0, place.size, place.offset);
    if (bytesRead !== place.size)
      throw new Failure(
        'refused',
        'upload.changed',
        `${place.path} changed since it was hashed; submit again`,
      );
    const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(chunkTimeoutMs)]);
    await deps.client.raw(`/submissions/${input.submission}/chunks/${sha256}`, {
      method: 'PUT',
      body,
      signal,
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    return place.size;
  } finally {
    await handle.close();
  }
}
