/**
 * Theory of operation. A chunk is an object named by its digest. Its bytes stream through while they are hashed, and the
 * last of them is held back until the digest is right, so that a wrong chunk is a request that never ended and leaves no
 * object. The server is told the digest as well and refuses others. Nothing is ever uploaded past this process: a
 * presigned URL would let a name pass for possession.
 */

import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Intake } from './intake.ts';
import { receiveVerified } from './receiveVerified.ts';
import type { ByteSpan, ChunkStore, IncomingChunk, StoredChunk } from './store.ts';

/** Where the objects are. */
export interface S3StoreConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** More than the uploads that the intake's memory lets through at once. */
const socketsMax = 128;

const silent = () => {};

/** A chunk store in a bucket of an S3-compatible server; the bucket has to be there. */
export async function openS3Store(
  config: S3StoreConfig,
  deps: { readonly intake: Intake },
): Promise<ChunkStore> {
  const { endpoint, region, bucket: Bucket, accessKeyId, secretAccessKey } = config;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    // A stream can't be sent twice: whoever sends the chunk sends it again.
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 60_000,
      httpAgent: { maxSockets: socketsMax },
      httpsAgent: { maxSockets: socketsMax },
    },
    // Failures are thrown; the library would also print them.
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const has = async (sha256: string): Promise<number | null> => {
    const Key = keyOf(sha256);
    try {
      return (await client.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength ?? 0;
    } catch (cause) {
      if (isMissing(cause)) return null;
      throw cause;
    }
  };
  return {
    put: async (chunk) => {
      const Key = keyOf(chunk.sha256);
      await sendVerified(chunk, deps.intake, (Body, abortSignal) =>
        client.send(
          new PutObjectCommand({
            Bucket,
            Key,
            Body,
            ContentLength: chunk.size,
            ChecksumSHA256: Buffer.from(chunk.sha256, 'hex').toString('base64'),
          }),
          { abortSignal },
        ),
      );
    },
    get: async (sha256, span) => {
      const Key = keyOf(sha256);
      if (span !== null) {
        const size = await has(sha256);
        if (size === null) return null;
        refuseOutside(span, size);
      }
      const Range = span === null ? undefined : `bytes=${span.offset}-${span.offset + span.length - 1}`;
      try {
        const { Body } = await client.send(
          new GetObjectCommand({ Bucket, Key, ...(Range === undefined ? {} : { Range }) }),
        );
        if (!(Body instanceof Readable)) throw new Error(`the server gave no bytes of ${sha256}`);
        return Body;
      } catch (cause) {
        if (isMissing(cause)) return null;
        throw cause;
      }
    },
    has: async (sha256) => (await has(sha256)) !== null,
    delete: async (sha256) => {
      if ((await has(sha256)) === null) return false;
      await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(sha256) }));
      return true;
    },
    list: (prefix) => listObjects(prefix, Bucket, client),
  };
}

/** No digest, no key: names from outside never reach the server. */
function keyOf(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256))
    throw new RangeError('a chunk is named by 64 lowercase hexadecimal digits');
  return `chunks/${sha256}`;
}

async function sendVerified(
  chunk: IncomingChunk,
  intake: Intake,
  send: (body: Readable, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const body = new PassThrough();
  const giveUp = new AbortController();
  const sent = send(body, AbortSignal.any([giveUp.signal, chunk.signal]));
  // A server that refuses midway must not leave us waiting for it to read on.
  const failed = sent.then(
    () => undefined,
    (cause: unknown) => {
      body.destroy();
      throw cause;
    },
  );
  failed.catch(() => undefined);
  let last = Buffer.alloc(0);
  try {
    await receiveVerified(
      chunk,
      async (bytes, offset) => {
        const isEnd = offset + bytes.byteLength === chunk.size;
        // Copied: the block is used again while the socket still holds these.
        const part = Buffer.from(isEnd ? bytes.subarray(0, -1) : bytes);
        if (isEnd) last = Buffer.from(bytes.subarray(-1));
        if (!body.write(part)) await Promise.race([once(body, 'drain'), failed]);
      },
      intake,
    );
    body.end(last);
    await sent;
  } catch (cause) {
    giveUp.abort();
    body.destroy();
    await failed.catch(() => undefined);
    throw cause;
  }
}

async function* listObjects(prefix: string, Bucket: string, client: S3Client): AsyncGenerator<StoredChunk> {
  const Prefix = keyOf(prefix.padEnd(64, '0')).slice(0, 'chunks/'.length + 2);
  let ContinuationToken: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket,
        Prefix,
        ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
      }),
    );
    for (const { Key, Size, LastModified } of page.Contents ?? []) {
      const sha256 = Key?.slice('chunks/'.length) ?? '';
      if (LastModified !== undefined) yield { sha256, size: Size ?? 0, storedAt: LastModified };
    }
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}

function refuseOutside({ offset, length }: ByteSpan, size: number): void {
  if (offset < 0 || length < 1 || offset + length > size)
    throw new RangeError(`bytes ${offset}+${length} are not within the chunk's ${size}`);
}

function isMissing(cause: unknown): boolean {
  return cause instanceof S3ServiceException && cause.$metadata.httpStatusCode === 404;
}
