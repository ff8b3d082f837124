/**
 * Theory of operation. The service knows what it lacks; asking it again is resuming. A round asks for what is missing and
 * sends that, several chunks at a time; a round that the network or a sleeping machine broke off is followed by another,
 * until nothing is missing, the service refuses, or nothing at all has arrived for half an hour.
 */
import { openAsBlob } from 'node:fs';
import type { Sha256 } from '@vtb/protocol/digest.ts';
import { missingSchema } from '@vtb/protocol/wire/submissions.ts';
import { byteText } from '../byteText.ts';
import type { Client } from '../client.ts';
import type { Console } from '../console.ts';
import { Failure } from '../failure.ts';
import { watchPauses } from '../pauses.ts';
import { isPassing, patienceMs, persist } from '../persist.ts';
import { startProgress, timeText } from '../progress.ts';
import type { ReadSystem } from './readSystem.ts';

/** Chunks under way at once: enough to hide a round trip. */
const parallelUploads = 4;
/** A chunk may take this long, and a second for every 64 KiB: a line that is slower than that carries nothing. */
const chunkTimeoutMs = (bytes: number) => 30_000 + Math.ceil(bytes / 65_536) * 1_000;

/** What is sent where. */
export interface Upload {
  readonly submission: string;
  readonly system: Pick<ReadSystem, 'bytes' | 'places'>;
  /** Bytes that the service lacks. */
  readonly bytesMissing: number;
}

/** What uploading works with. */
export interface UploadDeps {
  readonly client: Pick<Client, 'get' | 'raw'>;
  readonly console: Pick<Console, 'bar' | 'note' | 'live'>;
  readonly signal: AbortSignal;
}

/**
 * Sends what the service lacks until nothing is missing. After any interruption the same call goes on where the last one
 * ended.
 *
 * throws  Failure('unreachable') when nothing arrives for half an hour; refusals of the service as they come.
 */
export async function uploadChunks(upload: Upload, deps: UploadDeps): Promise<void> {
  const { system, bytesMissing } = upload;
  const there = Math.max(0, system.bytes - bytesMissing);
  const before = there > 0 ? `${byteText(there)} need not be sent` : undefined;
  const progress = startProgress(
    { verb: 'sending', total: bytesMissing, ...(before === undefined ? {} : { before }) },
    { console: deps.console, nowMs: () => performance.now() },
  );
  let sent = 0;
  const sendRound = async () => {
    const sentBefore = sent;
    try {
      const asked = await deps.client.get(`/submissions/${upload.submission}/missing`, missingSchema);
      await sendAll(asked.missing, upload, deps, (bytes) => {
        sent += bytes;
        progress.to(Math.min(sent, bytesMissing));
      });
      return asked.missingCount === 0;
    } catch (cause) {
      // A round that brought something is no sign that nothing gets through.
      if (sent === sentBefore || !(cause instanceof Failure) || !isPassing(cause)) throw cause;
      deps.console.note(`${cause.message}; going on`);
      return false;
    }
  };
  let done = false;
  while (!done) done = await persist(sendRound, { patienceMs, signal: deps.signal }, deps);
}

/** Sends these chunks. throws the first Failure once no request is under way. */
async function sendAll(
  missing: readonly Sha256[],
  upload: Upload,
  deps: UploadDeps,
  onChunk: (bytes: number) => void,
): Promise<void> {
  const broken = new AbortController();
  using _watch = watchPauses(Date.now, (pausedMs) => {
    const message = `this machine or program stood still for ${timeText(pausedMs / 1000)}`;
    broken.abort(new Failure('unreachable', 'upload.paused', message));
  });
  const queue = missing.values();
  const worker = async () => {
    for (const sha256 of queue) {
      if (broken.signal.aborted) return;
      try {
        onChunk(await sendOne(sha256, upload, { ...deps, signal: broken.signal }));
      } catch (cause) {
        // The first cause counts: what it breaks off fails after it.
        broken.abort(cause);
      }
    }
  };
  await Promise.all(Array.from({ length: parallelUploads }, worker));
  broken.signal.throwIfAborted();
}

async function sendOne(sha256: Sha256, { submission, system }: Upload, deps: UploadDeps): Promise<number> {
  const place = system.places.get(sha256);
  if (place === undefined)
    throw new Failure(
      'refused',
      'upload.foreign',
      `the service asks for ${sha256}, which is no chunk of this system`,
    );
  // Read as it is sent: a chunk in memory would be there twice, and several are under way.
  const file = await openAsBlob(place.path).catch((cause: NodeJS.ErrnoException) => {
    throw new Failure('refused', 'upload.changed', `${place.path} can't be read any more (${cause.code})`);
  });
  const body = file.slice(place.offset, place.offset + place.size);
  if (body.size !== place.size)
    throw new Failure('refused', 'upload.changed', `${place.path} changed since it was hashed; submit again`);
  const answer = await deps.client.raw(
    `/submissions/${submission}/chunks/${sha256}`,
    {
      method: 'PUT',
      body,
      signal: deps.signal,
      headers: { 'Content-Type': 'application/octet-stream' },
    },
    chunkTimeoutMs(place.size),
  );
  await answer.body?.cancel();
  return place.size;
}
