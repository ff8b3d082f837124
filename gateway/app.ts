import { receiptSchema } from '@vtb/protocol/messages/receipt.ts';
import { researchLogLimits } from '@vtb/protocol/researchLog/limits.ts';
import { systemLimits } from '@vtb/protocol/system/limits.ts';
import { auditSchema, queueSchema, regradedSchema } from '@vtb/protocol/wire/admin.ts';
import {
  acceptedSchema,
  feedSchema,
  postComparisonSchema,
  postNoticeSchema,
  postReportSchema,
} from '@vtb/protocol/wire/airlock.ts';
import { boardSchema, seasonListSchema } from '@vtb/protocol/wire/board.ts';
import { comparisonsSchema } from '@vtb/protocol/wire/comparisons.ts';
import {
  entryDetailSchema,
  entryListSchema,
  entrySchema,
  newEntrySchema,
  newRunSchema,
  quotaSchema,
  runSchema,
} from '@vtb/protocol/wire/entries.ts';
import { issuedTokenSchema, meSchema, newTokenSchema, tokenListSchema } from '@vtb/protocol/wire/identity.ts';
import { logSchema } from '@vtb/protocol/wire/log.ts';
import { appendedLinesSchema, researchPageSchema } from '@vtb/protocol/wire/researchLog.ts';
import {
  committedSchema,
  deletedSystemSchema,
  missingSchema,
  newSubmissionSchema,
  reasonSchema,
  submissionListSchema,
  submissionSchema,
} from '@vtb/protocol/wire/submissions.ts';
import {
  addedMemberSchema,
  newMemberSchema,
  newTeamSchema,
  teamListSchema,
  teamSchema,
} from '@vtb/protocol/wire/teams.ts';
import { trackRulesSchema } from '@vtb/protocol/wire/trackRules.ts';
import type { Limits, Role, Route } from './frame/route.ts';
import { nothing, route, stream } from './frame/route.ts';
import { getAudit, getQueue, postRegrade } from './routes/admin.ts';
import {
  getFeed,
  getOrderChunk,
  postComparison,
  postNotice,
  postReport,
  putAttachment,
} from './routes/airlock.ts';
import { getBoard, getSeasons } from './routes/board.ts';
import { getComparisons } from './routes/comparisons.ts';
import { getEntries, getEntry, getQuota, getRun, postEntry, postFinish, postRun } from './routes/entries.ts';
import { deleteToken, getMe, getTokens, postToken } from './routes/identity.ts';
import { getLog } from './routes/log.ts';
import { getReceipt } from './routes/receipts.ts';
import { getRunLog, postLog } from './routes/researchLog.ts';
import {
  deleteSubmissionSystem,
  getEvents,
  getFeedback,
  getMissing,
  getSubmission,
  getSubmissions,
  postSeal,
  postSubmission,
  postWithdraw,
  putChunk,
} from './routes/submissions.ts';
import { deleteTeamToken, getTeam, getTeams, getTeamTokens, postMember, postTeam } from './routes/teams.ts';
import { getTrackRules } from './routes/trackRules.ts';

const everyone: readonly Role[] = ['visitor', 'member', 'owner', 'maintainer', 'grader'];
const people: readonly Role[] = ['member', 'maintainer'];
const ours: readonly Role[] = ['member', 'owner'];
const seen: readonly Role[] = ['member', 'owner', 'maintainer'];
const owners: readonly Role[] = ['owner', 'maintainer'];
const maintainers: readonly Role[] = ['maintainer'];
const grader: readonly Role[] = ['grader'];

const read: Limits = { bodyBytesMax: 0, perMinute: 1_200 };
const write: Limits = { bodyBytesMax: 65_536, perMinute: 240 };
/** A manifest and the little around it. */
const manifest: Limits = { bodyBytesMax: systemLimits.manifestBytesMax + 65_536, perMinute: 60 };
/** A part of a research log; the longest log is two hundred of them. */
const logParts: Limits = { bodyBytesMax: researchLogLimits.requestBytesMax, perMinute: 600 };
/** The longest signed message with its envelope. */
const messages: Limits = { bodyBytesMax: 2 * 1024 * 1024, perMinute: 6_000 };
/** Small tensors are chunks of their own: thousands a minute are honest. */
const chunks: Limits = { bodyBytesMax: systemLimits.chunkBytesMax, perMinute: 6_000 };

/**
 * Every route under /api/v1, one a line. The routes themselves, OpenAPI, the access matrix and the rate limits come from
 * this table; a line without its row in the access matrix fails a test.
 */
// biome-ignore format: one route a line
export const routes: readonly Route[] = [
  route({ method: 'POST', path: '/tokens', roles: people, scope: 'manage', body: newTokenSchema, reply: issuedTokenSchema, limits: write, creates: true, action: postToken, summary: 'Issue a token to yourself' }),
  route({ method: 'GET', path: '/tokens', roles: people, scope: 'read', body: nothing, reply: tokenListSchema, limits: read, action: getTokens, summary: 'Your tokens' }),
  route({ method: 'DELETE', path: '/tokens/:jti', roles: people, scope: 'manage', body: nothing, reply: nothing, limits: write, action: deleteToken, summary: 'Revoke a token' }),
  route({ method: 'GET', path: '/me', roles: people, scope: null, body: nothing, reply: meSchema, limits: read, action: getMe, summary: 'Who you are here' }),

  route({ method: 'GET', path: '/teams', roles: people, scope: 'read', body: nothing, reply: teamListSchema, limits: read, action: getTeams, summary: 'Your teams; all of them for maintainers' }),
  route({ method: 'POST', path: '/teams', roles: maintainers, scope: 'manage', body: newTeamSchema, reply: teamSchema, limits: write, creates: true, action: postTeam, summary: 'Create a team that you own' }),
  route({ method: 'GET', path: '/teams/:id', about: 'team', roles: seen, scope: 'read', body: nothing, reply: teamSchema, limits: read, action: getTeam, summary: 'A team and its members' }),
  route({ method: 'POST', path: '/teams/:id/members', about: 'team', roles: owners, scope: 'manage', body: newMemberSchema, reply: addedMemberSchema, limits: write, creates: true, action: postMember, summary: 'Bring a person in, with a first token' }),
  route({ method: 'GET', path: '/teams/:id/tokens', about: 'team', roles: owners, scope: 'manage', body: nothing, reply: tokenListSchema, limits: read, action: getTeamTokens, summary: 'Tokens bound to the team' }),
  route({ method: 'DELETE', path: '/teams/:id/tokens/:jti', about: 'team', roles: owners, scope: 'manage', body: nothing, reply: nothing, limits: write, action: deleteTeamToken, summary: 'Revoke a token of the team' }),

  route({ method: 'GET', path: '/entries', roles: people, scope: 'read', body: nothing, reply: entryListSchema, limits: read, action: getEntries, summary: 'Entries of your teams' }),
  route({ method: 'POST', path: '/entries', roles: people, scope: 'submit', body: newEntrySchema, reply: entrySchema, limits: write, creates: true, action: postEntry, summary: 'Open a row of the board for your team' }),
  route({ method: 'GET', path: '/entries/:id', about: 'entry', roles: everyone, scope: null, body: nothing, reply: entryDetailSchema, limits: read, action: getEntry, summary: 'An entry, with its runs for its team' }),
  route({ method: 'POST', path: '/entries/:id/runs', about: 'entry', roles: ours, scope: 'submit', body: newRunSchema, reply: runSchema, limits: write, creates: true, action: postRun, summary: 'Start the clock on a track' }),
  route({ method: 'GET', path: '/runs/:id', about: 'run', roles: seen, scope: 'read', body: nothing, reply: runSchema, limits: read, action: getRun, summary: 'A run: clock and quota' }),
  route({ method: 'POST', path: '/runs/:id/finish', about: 'run', roles: ours, scope: 'submit', body: nothing, reply: runSchema, limits: write, action: postFinish, summary: 'End a run without a final' }),
  route({ method: 'POST', path: '/runs/:id/log', about: 'run', roles: ours, scope: 'submit', streams: true, body: nothing, reply: appendedLinesSchema, limits: logParts, action: postLog, summary: 'Add lines to the research log (JSONL); known lines are skipped' }),
  route({ method: 'GET', path: '/runs/:id/log', about: 'run', roles: seen, scope: 'read', body: nothing, reply: researchPageSchema, limits: read, action: getRunLog, summary: 'The research log, oldest first; ?after= and ?limit=' }),
  route({ method: 'GET', path: '/quota', roles: people, scope: 'read', body: nothing, reply: quotaSchema, limits: read, action: getQuota, summary: 'What may still be done in ?run=' }),

  route({ method: 'GET', path: '/runs/:id/submissions', about: 'run', roles: seen, scope: 'read', body: nothing, reply: submissionListSchema, limits: read, action: getSubmissions, summary: 'Submissions of a run, newest first' }),
  route({ method: 'POST', path: '/runs/:id/submissions', about: 'run', roles: ours, scope: 'submit', body: newSubmissionSchema, reply: committedSchema, limits: manifest, creates: true, action: postSubmission, summary: 'Commit to a system: stops the clock' }),
  route({ method: 'GET', path: '/submissions/:id', about: 'submission', roles: seen, scope: 'read', outlives: true, body: nothing, reply: submissionSchema, limits: read, action: getSubmission, summary: 'A submission: state, queue, gradings' }),
  route({ method: 'GET', path: '/submissions/:id/missing', about: 'submission', roles: seen, scope: null, outlives: true, body: nothing, reply: missingSchema, limits: read, action: getMissing, summary: 'Chunks still to be sent' }),
  route({ method: 'PUT', path: '/submissions/:id/chunks/:sha256', about: 'submission', roles: ours, scope: 'submit', outlives: true, streams: true, body: nothing, reply: nothing, limits: chunks, action: putChunk, summary: 'Send the bytes of a chunk' }),
  route({ method: 'POST', path: '/submissions/:id/seal', about: 'submission', roles: ours, scope: 'submit', outlives: true, body: nothing, reply: submissionSchema, limits: write, action: postSeal, summary: 'All bytes are there: inspect' }),
  route({ method: 'GET', path: '/submissions/:id/events', about: 'submission', roles: everyone, scope: null, body: nothing, reply: stream, limits: read, action: getEvents, summary: 'Server-sent events; resume with Last-Event-ID' }),
  route({ method: 'GET', path: '/submissions/:id/feedback', about: 'submission', roles: seen, scope: 'read', body: nothing, reply: stream, limits: read, action: getFeedback, summary: 'Every trial of a validation grading' }),
  route({ method: 'POST', path: '/submissions/:id/withdraw', about: 'submission', roles: ours, scope: 'submit', body: reasonSchema, reply: submissionSchema, limits: write, action: postWithdraw, summary: 'Take a submission back' }),
  route({ method: 'DELETE', path: '/submissions/:id/weights', about: 'submission', roles: ours, scope: 'submit', streams: true, body: nothing, reply: deletedSystemSchema, limits: write, action: deleteSubmissionSystem, summary: 'Erase the bytes of a system at rest; answers with a signed statement' }),

  route({ method: 'GET', path: '/seasons', roles: everyone, scope: null, body: nothing, reply: seasonListSchema, limits: read, action: getSeasons, summary: 'Seasons and their tracks' }),
  route({ method: 'GET', path: '/seasons/:id/board', roles: everyone, scope: null, body: nothing, reply: boardSchema, limits: read, action: getBoard, summary: 'The board; ?asOf= and ?format=json|csv|md' }),
  route({ method: 'GET', path: '/seasons/:id/tracks/:track/rules', roles: everyone, scope: null, body: nothing, reply: trackRulesSchema, limits: read, action: getTrackRules, summary: 'What a track lets a system be: terms, edits, base facts' }),
  route({ method: 'GET', path: '/receipts/:id', roles: everyone, scope: null, body: nothing, reply: receiptSchema, limits: read, action: getReceipt, summary: 'The signed proof of a published grading' }),
  route({ method: 'GET', path: '/comparisons/:track', roles: everyone, scope: null, body: nothing, reply: comparisonsSchema, limits: read, action: getComparisons, summary: 'Which ranked systems of a track (or avg) of ?season= differ' }),
  route({ method: 'GET', path: '/log', roles: everyone, scope: null, body: nothing, reply: logSchema, limits: read, action: getLog, summary: 'The public log: leaves, checkpoint, proofs' }),

  route({ method: 'GET', path: '/airlock/feed', roles: grader, scope: null, body: nothing, reply: feedSchema, limits: chunks, action: getFeed, summary: 'Signed orders, cancels and checkpoints; ?after= and ?wait=' }),
  route({ method: 'GET', path: '/airlock/orders/:id/chunks/:sha256', roles: grader, scope: null, body: nothing, reply: stream, limits: chunks, action: getOrderChunk, summary: 'Bytes of an open order' }),
  route({ method: 'POST', path: '/airlock/reports', roles: grader, scope: null, body: postReportSchema, reply: acceptedSchema, limits: messages, action: postReport, summary: 'Deliver a signed report' }),
  route({ method: 'PUT', path: '/airlock/reports/:id/attachments/:sha256', roles: grader, scope: null, streams: true, body: nothing, reply: stream, limits: chunks, action: putAttachment, summary: 'Deliver an attachment of a validation report' }),
  route({ method: 'POST', path: '/airlock/notices', roles: grader, scope: null, body: postNoticeSchema, reply: acceptedSchema, limits: messages, action: postNotice, summary: 'Deliver a signed notice' }),
  route({ method: 'POST', path: '/airlock/comparisons', roles: grader, scope: null, body: postComparisonSchema, reply: acceptedSchema, limits: messages, action: postComparison, summary: 'Deliver a signed comparison' }),

  route({ method: 'POST', path: '/admin/submissions/:id/regrade', about: 'submission', roles: maintainers, scope: 'manage', body: reasonSchema, reply: regradedSchema, limits: write, creates: true, action: postRegrade, summary: 'Order one more grading' }),
  route({ method: 'GET', path: '/admin/queue', roles: maintainers, scope: 'manage', body: nothing, reply: queueSchema, limits: read, action: getQueue, summary: 'Open orders in the order they start' }),
  route({ method: 'GET', path: '/admin/audit', roles: maintainers, scope: 'manage', body: nothing, reply: auditSchema, limits: read, action: getAudit, summary: 'Who did what, when and why' }),
];
