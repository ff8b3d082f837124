import type { Readable } from 'node:stream';
import { lockChunk } from '@vtb/db/public/garbage.ts';
import { lockedState, moveSubmission } from '@vtb/db/public/submissionState.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import { chunkOfSubmission, markPossession } from '@vtb/db/public/teamChunks.ts';
import { Refusal } from '@vtb/protocol/errors.ts';
import type { Deps } from '../deps.ts';
import { notFound } from '../frame/access.ts';

/** A chunk on its way in. */
export interface ArrivingChunk {
  readonly submission: string;
  readonly sha256: string;
  /** Content-Length, where the sender said it. */
  readonly announcedBytes: number | null;
  readonly bytes: Readable;
  readonly signal: AbortSignal;
  readonly actor: string;
  readonly at: Date;
}

/** 16 MiB on a line of 30 kB/s; slower ones have to resume. */
const chunkMs = 10 * 60_000;

/**
 * Takes one chunk of a submission: possession is written down for its team only after its bytes were verified and kept.
 * No transaction is open while bytes come. The second time changes nothing.
 *
 * throws  Refusal chunk.unknown, chunk.size, chunk.mismatch, store.full, upload.tooSlow, upload.brokenOff,
 *         upload.graceEnded or state.conflict.
 */
export async function receiveChunk(chunk: ArrivingChunk, deps: Deps): Promise<void> {
  const { submission, sha256, announcedBytes, at } = chunk;
  const context = await findSubmission(submission, deps.db);
  if (context === undefined) throw notFound();
  const size = await chunkOfSubmission({ submission, sha256 }, deps.db);
  if (size === undefined) throw new Refusal('chunk.unknown', 'this chunk is not part of the submission');
  refuseClosed(context.submission.state, context.submission.uploadUntil, at);
  if (announcedBytes !== null && announcedBytes !== size) {
    throw new Refusal('chunk.size', `Content-Length is ${announcedBytes}; the manifest says ${size}`);
  }
  const signal = AbortSignal.any([chunk.signal, AbortSignal.timeout(chunkMs)]);
  await deps.chunks.put({ sha256, size, bytes: chunk.bytes, signal });
  await deps.db.transaction(async (tx) => {
    await lockChunk(sha256, 'shared', tx);
    // Bytes that nobody possessed yet may have been collected as garbage a moment ago.
    if (!(await deps.chunks.has(sha256)))
      throw new Refusal('upload.brokenOff', 'the bytes were let go of meanwhile; send the chunk again');
    await markPossession({ team: context.entry.team, sha256, size, arrivedAt: deps.now() }, tx);
    if (context.submission.state !== 'committed' || (await lockedState(submission, tx)) !== 'committed')
      return;
    await moveSubmission(
      { submission, event: 'chunkArrived', at: deps.now(), actor: chunk.actor, reason: null },
      tx,
    );
  });
}

function refuseClosed(state: string, uploadUntil: Date, at: Date): void {
  if (state !== 'committed' && state !== 'uploading')
    throw new Refusal('state.conflict', `the submission is ${state}: its upload has ended`);
  if (at >= uploadUntil)
    throw new Refusal('upload.graceEnded', `the bytes could come until ${uploadUntil.toISOString()}`);
}
