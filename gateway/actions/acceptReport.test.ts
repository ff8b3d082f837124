import { auditPage } from '@vtb/db/public/auditPage.ts';
import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { ourFailure, scored, systemFailure, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';
import { cancelOrders } from './cancelOrders.ts';
import { waitingForMaintainer } from './failAsOurs.ts';
import { withdrawSubmission } from './withdrawSubmission.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps } = gateway;

beforeAll(async () => {
  expect((await enclave.holdSplits()).status).toBe(200);
});

async function ordered(purpose: 'validation' | 'final' = 'final') {
  const submission = await enclave.queued({ purpose });
  return { ...submission, order: await enclave.lastOrder(submission.id) };
}

async function stateOf(id: string) {
  const found = await findSubmission(id, deps.db);
  return found?.submission;
}

async function refusal(response: Response) {
  const problem = (await response.json()) as { code: string; problems: { at: string }[] };
  return { status: response.status, code: problem.code, at: problem.problems.map(({ at }) => at) };
}

/** A refused report has left no trace: the order is as open as before. */
async function expectUntouched(submission: string) {
  const [grading] = await gradingsOf(submission, deps.db);
  expect(grading).toMatchObject({ state: 'ordered', report: null, reportDigest: null, result: null });
}

describe('a report that answers its order', () => {
  it('on validation grades the submission at once and declares its attachments', async () => {
    const { id, order } = await ordered('validation');
    const sha256 = sha256Hex('trials');
    const attachments = [{ sha256, size: 6, kind: 'trials' as const }];
    const report = await enclave.report(order, scored(91, 'validation'), { attachments });
    expect(await (await enclave.deliver(report)).json()).toEqual({ accepted: true, again: false });
    const [grading] = await gradingsOf(id, deps.db);
    expect(await stateOf(id)).toMatchObject({ state: 'graded', currentGrading: grading?.id });
    expect(
      (await auditPage({ before: null, subject: grading?.id ?? '', limit: 10 }, deps.db)).map(
        ({ act }) => act,
      ),
    ).toEqual(['grading.reported', 'grading.ordered']);
  });

  it('on a final stays quiet: the state shows grading, and the end is written down as the release instant', async () => {
    const { id, order } = await ordered();
    gateway.clock.at = new Date('2026-12-02T12:00:03.217Z');
    await enclave.deliver(await enclave.report(order, scored(150)));
    const [grading] = await gradingsOf(id, deps.db);
    expect(grading?.finishedAt?.toISOString()).toBe('2026-12-02T12:00:10.000Z');
    expect(await stateOf(id)).toMatchObject({ state: 'grading', currentGrading: null, stateReason: null });
  });

  it('delivered twice is accepted once and changes nothing the second time', async () => {
    const { id, order } = await ordered('validation');
    const report = await enclave.report(order, scored(50, 'validation'));
    await enclave.deliver(report);
    const before = [
      await gradingsOf(id, deps.db),
      await stateOf(id),
      await auditPage({ before: null, subject: null, limit: 500 }, deps.db),
    ];
    expect(await (await enclave.deliver(report)).json()).toEqual({ accepted: true, again: true });
    expect([
      await gradingsOf(id, deps.db),
      await stateOf(id),
      await auditPage({ before: null, subject: null, limit: 500 }, deps.db),
    ]).toEqual(before);
  });

  it('delivered twice at the same moment is accepted once', async () => {
    const { id, order } = await ordered('validation');
    const report = await enclave.report(order, scored(50, 'validation'));
    const replies = await Promise.all([1, 2, 3, 4].map(async () => (await enclave.deliver(report)).json()));
    expect(replies.filter((reply) => (reply as { again: boolean }).again === false)).toHaveLength(1);
    expect(await gradingsOf(id, deps.db)).toHaveLength(1);
  });
});

describe('a report is refused and nothing changes when it is', () => {
  it('altered by one character', async () => {
    const { id, order } = await ordered();
    const { report, ...rest } = await enclave.report(order, scored(150));
    const [head = '', payload = '', signature = ''] = report.split('.');
    const other = payload[40] === 'A' ? 'B' : 'A';
    const altered = [head, `${payload.slice(0, 40)}${other}${payload.slice(41)}`, signature].join('.');
    expect(await refusal(await enclave.deliver({ ...rest, report: altered }))).toMatchObject({
      status: 422,
      code: 'message.invalid',
    });
    await expectUntouched(id);
  });

  it('truncated', async () => {
    const { id, order } = await ordered();
    const { report, ...rest } = await enclave.report(order, scored(150));
    for (const cut of [report.slice(0, -1), report.split('.').slice(0, 2).join('.'), ''])
      expect(await refusal(await enclave.deliver({ ...rest, report: cut }))).toMatchObject({
        code: 'message.invalid',
      });
    await expectUntouched(id);
  });

  it('foreign: signed by a key that is not pinned', async () => {
    const { id, order } = await ordered();
    const { report, ...rest } = await enclave.report(order, scored(150));
    const payload: unknown = JSON.parse(Buffer.from(report.split('.')[1] ?? '', 'base64url').toString());
    const forged = await seal('report', payload, await newSigningKey());
    expect(await refusal(await enclave.deliver({ ...rest, report: forged }))).toMatchObject({
      code: 'message.invalid',
    });
    await expectUntouched(id);
  });

  it('of another kind: the order itself, or a notice, sent as a report', async () => {
    const { id, order } = await ordered();
    const { report, maintainers } = await enclave.report(order, scored(150));
    const payload: unknown = JSON.parse(Buffer.from(report.split('.')[1] ?? '', 'base64url').toString());
    for (const jws of [order.jws, await seal('notice', payload, gateway.grader)])
      expect(await refusal(await enclave.deliver({ report: jws, maintainers }))).toMatchObject({
        code: 'message.invalid',
      });
    await expectUntouched(id);
  });

  it('swapped: one order’s result under another order’s id', async () => {
    const [mine, theirs] = [await ordered(), await ordered()];
    const swapped = await enclave.report(mine.order, scored(150), { order: theirs.order.order });
    expect((await refusal(await enclave.deliver(swapped))).code).toBe('message.invalid');
    const aboutTheirs = await enclave.report(mine.order, scored(150), {
      order: theirs.order.order,
      submission: theirs.id,
    });
    expect(await refusal(await enclave.deliver(aboutTheirs))).toMatchObject({
      code: 'message.invalid',
      at: expect.arrayContaining(['/orderDigest', '/grading', '/system']),
    });
    await expectUntouched(mine.id);
    await expectUntouched(theirs.id);
  });

  it.each([
    ['/system', { system: sha256Hex('another system') }],
    ['/split', { split: sha256Hex('another split') }],
    ['/settings', { settings: sha256Hex('other settings') }],
    ['/gradingNumber', { gradingNumber: 2 }],
    ['/orderDigest', { orderDigest: sha256Hex('another order') }],
    ['/track', { track: 'other' }],
    ['/purpose', { purpose: 'validation' as const, hidden: true }],
  ])('about another %s', async (at, change) => {
    const { id, order } = await ordered();
    expect(
      await refusal(await enclave.deliver(await enclave.report(order, scored(150), change))),
    ).toMatchObject({ code: 'message.invalid', at: [at] });
    await expectUntouched(id);
  });

  it('another report for an order that has one: the first stands', async () => {
    const { id, order } = await ordered();
    await enclave.deliver(await enclave.report(order, scored(150)));
    expect(await refusal(await enclave.deliver(await enclave.report(order, scored(199))))).toMatchObject({
      status: 409,
      code: 'message.conflict',
    });
    const [grading] = await gradingsOf(id, deps.db);
    expect(grading?.result).toEqual(scored(150));
  });

  it('beside a maintainers’ part that it does not name', async () => {
    const { id, order } = await ordered();
    const report = await enclave.report(order, scored(150));
    expect((await refusal(await enclave.deliver({ ...report, maintainers: 'another part' }))).code).toBe(
      'message.invalid',
    );
    await expectUntouched(id);
  });
});

describe('whose fault', () => {
  it('ours: the same sealed digest is ordered again by itself, at most twice, and then a maintainer has to look', async () => {
    const { id, order, system } = await ordered();
    await enclave.deliver(await enclave.report(order, ourFailure));
    const second = await enclave.lastOrder(id);
    expect(second).toMatchObject({ cause: 'retry', gradingNumber: 2, system });
    await enclave.deliver(await enclave.report(second, ourFailure));
    const third = await enclave.lastOrder(id);
    await enclave.deliver(await enclave.report(third, ourFailure));
    expect((await gradingsOf(id, deps.db)).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    expect(await stateOf(id)).toMatchObject({ state: 'queued', stateReason: waitingForMaintainer });
    const regrade = await gateway.call(gateway.owner.token, 'POST', `/admin/submissions/${id}/regrade`, {
      reason: 'the engine is mended',
    });
    expect(regrade.status).toBe(201);
    expect(await enclave.lastOrder(id)).toMatchObject({ cause: 'regrade', gradingNumber: 4 });
  });

  it('the system’s: the result is kept without a score, and nothing is ordered again', async () => {
    const { id, order } = await ordered('validation');
    await enclave.deliver(await enclave.report(order, systemFailure));
    expect(await stateOf(id)).toMatchObject({
      state: 'graded',
      stateReason: 'the engine could not load the weights',
    });
    expect(await gradingsOf(id, deps.db)).toHaveLength(1);
  });
});

it('what was graded once can’t be taken back as if it never was, although our failure queued it again', async () => {
  const { id, order } = await ordered();
  await enclave.deliver(await enclave.report(order, ourFailure));
  const withdraw = deps.db.transaction((tx) =>
    withdrawSubmission({ submission: id, reason: 'x', actor: 'gateway', at: gateway.clock.at }, deps, tx),
  );
  await expect(withdraw).rejects.toMatchObject({ code: 'submission.notWithdrawable' });
});

it('a report for a cancelled order is acknowledged and not used', async () => {
  const { id, order } = await ordered();
  const cancel = () =>
    deps.db.transaction((tx) =>
      cancelOrders({ submission: id, cause: 'withdrawn', actor: 'gateway', at: gateway.clock.at }, deps, tx),
    );
  expect(await cancel()).toBe(1);
  expect(await cancel()).toBe(0);
  const report = await enclave.report(order, scored(150));
  expect(await (await enclave.deliver(report)).json()).toEqual({ accepted: true, again: false });
  expect(await (await enclave.deliver(report)).json()).toEqual({ accepted: true, again: true });
  expect((await gradingsOf(id, deps.db))[0]).toMatchObject({
    state: 'cancelled',
    result: null,
    report: null,
  });
});

it('only the courier may deliver', async () => {
  const { order } = await ordered();
  const { report, maintainers } = await enclave.report(order, scored(150));
  expect((await gateway.call(null, 'POST', '/airlock/reports', { report, maintainers })).status).toBe(401);
  expect(
    (await gateway.call(gateway.owner.token, 'POST', '/airlock/reports', { report, maintainers })).status,
  ).toBe(403);
});
