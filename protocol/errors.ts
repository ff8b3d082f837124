/**
 * The closed table of refusal codes: everything a caller can be told "no" for, with its HTTP status.
 * A message says what, the value, the limit, and what to do; the table holds only the short title.
 */
export const refusals = {
  'request.invalid': { status: 400, title: 'The request is not well formed' },
  'request.idempotencyMissing': { status: 400, title: 'Idempotency-Key is missing' },
  'request.idempotencyReused': { status: 409, title: 'Idempotency-Key was used for another request' },
  'request.tooLarge': { status: 413, title: 'The request body is too large' },
  'request.rateLimited': { status: 429, title: 'Too many requests' },
  'token.missing': { status: 401, title: 'No token was sent' },
  'token.invalid': { status: 401, title: 'The token is not valid' },
  'token.scope': { status: 403, title: 'The token lacks the scope for this' },
  'role.forbidden': { status: 403, title: 'Your role does not allow this' },
  notFound: { status: 404, title: 'Not found' },
  'state.conflict': { status: 409, title: 'The state changed meanwhile' },
  'name.taken': { status: 409, title: 'The name is taken' },
  'season.closed': { status: 409, title: 'The season is not open' },
  'season.unknown': { status: 404, title: 'No such season' },
  'track.unknown': { status: 422, title: 'No such track in this season' },
  'track.preview': { status: 409, title: 'The track is a preview and takes no finals' },
  'run.exists': { status: 409, title: 'This entry already has a run on this track' },
  'run.ended': { status: 409, title: 'The run has ended' },
  'run.overBudget': { status: 409, title: 'The run is over its budget' },
  'final.live': { status: 409, title: 'The run already has a live final commit' },
  'quota.finals': { status: 409, title: 'No finals left on this track' },
  'quota.validation': { status: 409, title: 'No validation tries left in this run' },
  'quota.failedTries': { status: 409, title: 'Too many failed tries in this run' },
  'quota.openUploads': { status: 409, title: 'Too many unfinished uploads in this run' },
  'manifest.invalid': { status: 422, title: 'The manifest is not acceptable' },
  'chunk.unknown': { status: 404, title: 'Not found' },
  'chunk.mismatch': { status: 422, title: 'The bytes do not have that digest' },
  'chunk.size': { status: 422, title: 'The chunk has another size than the manifest says' },
  'upload.incomplete': { status: 409, title: 'Chunks are missing' },
  'upload.graceEnded': { status: 409, title: 'The time for uploading has ended' },
  'upload.brokenOff': { status: 503, title: 'The upload broke off' },
  'upload.tooSlow': { status: 408, title: 'The bytes come too slowly' },
  'store.full': { status: 507, title: 'The server has no room for this' },
  'researchLog.invalid': { status: 422, title: 'The research log is not acceptable' },
  'researchLog.full': { status: 409, title: 'The research log of this run is full' },
  'system.refused': { status: 422, title: 'The system is not acceptable' },
  'submission.notWithdrawable': { status: 409, title: 'The submission can no longer be withdrawn' },
  'grading.open': { status: 409, title: 'A grading of this submission is still open' },
  'receipt.pending': { status: 409, title: 'The receipt is not signed yet' },
  'message.invalid': { status: 422, title: 'The message is not acceptable' },
  'message.conflict': { status: 409, title: 'The message contradicts one accepted before' },
  'lease.stale': { status: 409, title: 'The lease is no longer yours' },
  internal: { status: 500, title: 'Our fault' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type RefusalCode = keyof typeof refusals;

/** One thing wrong with what was sent: where, what, and how to mend it. */
export interface Problem {
  readonly code: string;
  /** JSON pointer, file path or tensor name the problem is about; empty when it is about the whole. */
  readonly at: string;
  readonly message: string;
  readonly fix?: string;
}

/** An expected "no". Thrown by actions, mapped once to a problem document (RFC 9457). */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly problems: readonly Problem[];

  constructor(code: RefusalCode, detail: string, problems: readonly Problem[] = []) {
    super(detail);
    this.name = 'Refusal';
    this.code = code;
    this.problems = problems;
  }

  get status(): number {
    return refusals[this.code].status;
  }
}
