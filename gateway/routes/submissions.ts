import { Readable } from 'node:stream';
import type { Db } from '@vtb/db/public/connect.ts';
import { stateOf } from '@vtb/db/public/submissionState.ts';
import { findSubmission, submissionsOfRun } from '@vtb/db/public/submissions.ts';
import { missingChunks } from '@vtb/db/public/teamChunks.ts';
import {
  type DeletedSystem,
  type MissingChunks,
  missingMax,
  type NewSubmission,
  type Reason,
  type submissionListSchema,
} from '@vtb/protocol/wire/submissions.ts';
import type { z } from 'zod';
import { commitSubmission } from '../actions/commitSubmission.ts';
import { deleteSystem } from '../actions/deleteSystem.ts';
import { receiveChunk } from '../actions/receiveChunk.ts';
import { sealSubmission } from '../actions/sealSubmission.ts';
import { withdrawSubmission } from '../actions/withdrawSubmission.ts';
import type { Deps } from '../deps.ts';
import { eventStream, type Follower } from '../events/eventStream.ts';
import { notFound, rolesOf } from '../frame/access.ts';
import { personOf, subjectOf } from '../frame/person.ts';
import type { Action, Call } from '../frame/route.ts';
import { feedbackStream } from './feedbackStream.ts';
import { type SubmissionView, submissionView } from './submissionView.ts';

/** POST /runs/:id/submissions: this instant is the one that counts. */
export const postSubmission: Action<NewSubmission, Awaited<ReturnType<typeof commitSubmission>>> = async (
  call,
  deps,
  tx,
) =>
  commitSubmission(
    { caller: personOf(call), run: subjectOf(call).id, wanted: call.body, at: call.at },
    deps,
    tx,
  );

/** GET /runs/:id/submissions */
export const getSubmissions: Action<null, z.input<typeof submissionListSchema>> = async (
  call,
  _deps,
  tx,
) => ({
  submissions: (await submissionsOfRun(subjectOf(call).id, tx)).map((row) => ({
    id: row.id,
    purpose: row.purpose,
    state: stateOf(row.state),
    stateAt: row.stateAt.toISOString(),
    stateReason: row.stateReason,
    system: row.system,
    bytes: row.bytes,
    committedAt: row.committedAt.toISOString(),
    withdrawnAt: row.withdrawnAt?.toISOString() ?? null,
  })),
});

/** GET /submissions/:id */
export const getSubmission: Action<null, SubmissionView> = view;

/** GET /submissions/:id/missing: resuming is asking again. */
export const getMissing: Action<null, MissingChunks> = async (call, _deps, tx) => {
  const { id, team } = subjectOf(call);
  const missing = await missingChunks({ submission: id, team, limit: missingMax }, tx);
  return { missing: missing.digests, missingCount: missing.count };
};

/** PUT /submissions/:id/chunks/:sha256 */
export const putChunk: Action<null, null> = async (call, deps) => {
  const length = call.raw.header('content-length');
  await receiveChunk(
    {
      submission: subjectOf(call).id,
      sha256: call.params.sha256 ?? '',
      announcedBytes: length === undefined ? null : Number(length),
      bytes: call.raw.bytes(),
      signal: call.raw.signal,
      actor: personOf(call).account,
      at: call.at,
    },
    deps,
  );
  return null;
};

/** POST /submissions/:id/seal */
export const postSeal: Action<null, SubmissionView> = async (call, deps, tx) => {
  await sealSubmission(
    { submission: subjectOf(call).id, actor: personOf(call).account, at: call.at },
    deps,
    tx,
  );
  return view(call, deps, tx);
};

/** POST /submissions/:id/withdraw */
export const postWithdraw: Action<Reason, SubmissionView> = async (call, deps, tx) => {
  await withdrawSubmission(
    { submission: subjectOf(call).id, reason: call.body.reason, actor: personOf(call).account, at: call.at },
    deps,
    tx,
  );
  return view(call, deps, tx);
};

/** DELETE /submissions/:id/weights: long, and never in one transaction. */
export const deleteSubmissionSystem: Action<null, DeletedSystem> = async (call, deps) => {
  const request = { submission: subjectOf(call).id, actor: personOf(call).account, at: call.at };
  const { deletion, statement } = await deleteSystem(request, deps);
  const { submission, chunksDeleted, bytesDeleted, chunksKept, at } = deletion;
  return { submission, chunksDeleted, bytesDeleted, chunksKept, deletedAt: at, statement };
};

/** GET /submissions/:id/events */
export const getEvents: Action<null, never> = async (call, deps) => {
  const last = Number(call.raw.header('last-event-id') ?? call.query.get('after') ?? 0);
  const after = Number.isSafeInteger(last) && last > 0 ? last : 0;
  const stream = eventStream(
    { submission: subjectOf(call).id, after, follower: followerOf(call), signal: call.raw.signal },
    deps,
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
};

/** The team and maintainers read everything; everybody else, where a final is public, its states alone. */
function followerOf(call: Call<unknown>): Follower {
  const roles = rolesOf(call.caller, subjectOf(call));
  const inside = roles.some((role) => role === 'member' || role === 'maintainer');
  return inside ? { kind: 'inside', account: personOf(call).account } : { kind: 'outside' };
}

/** GET /submissions/:id/feedback: validation only. */
export const getFeedback: Action<null, never> = async (call, deps, tx) => {
  const context = await findSubmission(subjectOf(call).id, tx);
  if (context === undefined) throw notFound();
  const document = await feedbackStream(context, deps);
  return new Response(Readable.toWeb(document) as ReadableStream<Uint8Array>, {
    headers: { 'content-type': 'application/json', 'cache-control': 'private, no-store' },
  });
};

async function view(call: Call<unknown>, deps: Deps, tx: Db): Promise<SubmissionView> {
  const context = await findSubmission(subjectOf(call).id, tx);
  if (context === undefined) throw notFound();
  return submissionView({ context, at: call.at }, deps, tx);
}
