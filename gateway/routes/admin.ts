import { auditPage } from '@vtb/db/public/auditPage.ts';
import { whyWaiting } from '@vtb/db/public/waitingSubmissions.ts';
import { type Audit, auditLinesMax, type Queue, type Regraded } from '@vtb/protocol/wire/admin.ts';
import { z } from 'zod';
import { regrade } from '../actions/regrade.ts';
import { queueLines } from '../airlock/queueView.ts';
import type { Action } from '../frame/route.ts';
import { actorOf } from '../identity/caller.ts';
import { numberInQuery, queryOf } from './queryOf.ts';

/** POST /admin/submissions/:id/regrade */
export const postRegrade: Action<{ readonly reason: string }, Regraded> = async (call, deps, tx) => {
  const submission = call.params.id ?? '';
  const { reason } = call.body;
  const ordered = await regrade({ submission, reason, actor: actorOf(call.caller), at: call.at }, deps, tx);
  return { submission, grading: ordered.grading, number: ordered.number, order: ordered.order };
};

/** GET /admin/queue */
export const getQueue: Action<null, Queue> = async (call, deps, tx) => {
  const lines = await queueLines(call.at, deps, tx);
  return {
    orders: lines.map(({ row, place, nominalMinutes }) => ({
      number: row.number,
      order: row.order,
      submission: row.submission,
      season: row.season,
      track: row.track,
      purpose: row.purpose,
      team: row.team,
      state: row.state === 'ordered' ? 'waiting' : 'atWork',
      orderedAt: row.orderedAt.toISOString(),
      nominalMinutes,
      position: place?.position ?? null,
      expectedWaitMinutes: place?.expectedWaitMinutes ?? null,
    })),
    unordered: await whyWaiting(1_000, tx),
  };
};

/** GET /admin/audit?before=&subject=&limit=: newest first. */
export const getAudit: Action<null, Audit> = async (call, _deps, tx) => {
  const {
    before,
    subject,
    limit = 100,
  } = queryOf(call.query, {
    before: numberInQuery(1, Number.MAX_SAFE_INTEGER).optional(),
    subject: z.string().max(200).optional(),
    limit: numberInQuery(1, auditLinesMax).optional(),
  });
  const rows = await auditPage({ before: before ?? null, subject: subject ?? null, limit }, tx);
  return {
    lines: rows.map((row) => ({ ...row, at: row.at.toISOString() })),
    next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  };
};
