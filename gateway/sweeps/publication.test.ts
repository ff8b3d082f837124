import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { logSize } from '@vtb/db/public/log.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import type { BoardTable } from '@vtb/protocol/board/table.ts';
import { consistencyHolds, inclusionHolds } from '@vtb/protocol/messages/merkle.ts';
import type { Receipt } from '@vtb/protocol/messages/receipt.ts';
import { verifyReceipt } from '@vtb/protocol/messages/verifyReceipt.ts';
import type { EntryDetail } from '@vtb/protocol/wire/entries.ts';
import type { LogView } from '@vtb/protocol/wire/log.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { scored, systemFailure, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';
import { orderQueued } from './orderQueued.ts';
import { releaseFinals } from './releaseFinals.ts';
import { sendCheckpoints } from './sendCheckpoints.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps, clock } = gateway;

const gatewaysAtOnce = 4;
const raced = (sweep: (of: typeof deps) => Promise<number>) =>
  Promise.all(Array.from({ length: gatewaysAtOnce }, () => sweep(deps))).then((counts) =>
    counts.reduce((sum, count) => sum + count, 0),
  );

async function get<T>(path: string): Promise<T> {
  const response = await gateway.call(null, 'GET', path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

const board = (query = '') => get<BoardTable>(`/seasons/pocket/board${query}`);
const log = (query = '') => get<LogView>(`/log?season=pocket${query}`);

async function graded(solved: number) {
  const submission = await enclave.queued();
  const order = await enclave.lastOrder(submission.id);
  expect((await enclave.deliver(await enclave.report(order, scored(solved)))).status).toBe(200);
  return { ...submission, order };
}

/** Lets the season's grid come to its next instant and publishes. */
async function release() {
  clock.at = new Date(clock.at.getTime() + 10_000);
  return releaseFinals(deps);
}

async function signLog() {
  await sendCheckpoints(deps);
  expect((await enclave.cosign()).status).toBe(200);
}

describe('before any split is held', () => {
  it('a queued submission waits with its reason, and is ordered once when the split is named, however many gateways sweep', async () => {
    const { id } = await enclave.queued();
    expect((await findSubmission(id, deps.db))?.submission).toMatchObject({
      state: 'queued',
      stateReason: expect.stringContaining('tasks'),
    });
    expect(await raced(orderQueued)).toBe(0);
    await Promise.all([enclave.holdSplits(), enclave.holdSplits(), enclave.holdSplits()]);
    expect(await logSize('pocket', deps.db)).toBe(1);
    expect(await raced(orderQueued)).toBe(1);
    expect(await gradingsOf(id, deps.db)).toHaveLength(1);
    expect((await findSubmission(id, deps.db))?.submission.stateReason).toBeNull();
  });
});

describe('with splits held', () => {
  beforeAll(async () => {
    await signLog();
  });

  it('a final shows nowhere before its release instant, and everywhere after it', async () => {
    const { id, entry } = await graded(150);
    const version = (await board()).rows.length;
    expect(await releaseFinals(deps)).toBe(0);
    expect((await board()).rows).toHaveLength(version);
    expect((await gateway.call(null, 'GET', `/entries/${entry}`)).status).toBe(404);
    expect(await release()).toBe(1);
    const row = (await board()).rows.find((some) => some.id === entry);
    expect(row?.cells.wordmath).toMatchObject({
      kind: 'replayed',
      score: { exact: '600/800', shown: '75.0' },
    });
    expect(row?.hours?.value).toBe(1);
    expect((await findSubmission(id, deps.db))?.submission).toMatchObject({
      state: 'published',
      stateAt: clock.at,
    });
  });

  it('gateways that race publish each final once, with one leaf each', async () => {
    const made = await Promise.all([graded(10), graded(20), graded(30)]);
    const before = await logSize('pocket', deps.db);
    clock.at = new Date(clock.at.getTime() + 10_000);
    expect(await raced(releaseFinals)).toBe(3);
    expect(await raced(releaseFinals)).toBe(0);
    expect(await logSize('pocket', deps.db)).toBe(before + 3);
    for (const { id } of made)
      expect((await gradingsOf(id, deps.db))[0]?.leaf).toBeGreaterThanOrEqual(before);
  });

  it('gateways that race send one checkpoint, and none while it is out', async () => {
    await graded(40);
    await release();
    expect(await raced(sendCheckpoints)).toBe(1);
    await graded(41);
    await release();
    expect(await raced(sendCheckpoints)).toBe(0);
    expect((await enclave.cosign()).status).toBe(200);
    expect(await raced(sendCheckpoints)).toBe(1);
    await enclave.cosign();
    const { checkpoint, size } = await log();
    expect(checkpoint?.size).toBe(size);
  });

  it('a receipt waits for the grader’s signature, then proves the result offline, and fails when a character changes', async () => {
    const { id } = await graded(123);
    await release();
    const grading = (await gradingsOf(id, deps.db))[0]?.id;
    const early = await gateway.call(null, 'GET', `/receipts/${grading}`);
    expect([early.status, ((await early.json()) as { code: string }).code]).toEqual([409, 'receipt.pending']);
    await signLog();
    const receipt = await get<Receipt>(`/receipts/${grading}`);
    const trust = (await log('&limit=1')).leaves[0]?.text ?? '';
    const verdict = await verifyReceipt(receipt, trust);
    expect(verdict).toMatchObject({ ok: true, report: { submission: id, result: scored(123) } });
    const text = JSON.stringify(receipt);
    for (const at of [
      receipt.report,
      receipt.publication.leaf,
      receipt.heads.grader,
      receipt.record.leaf,
    ].map((part) => text.indexOf(JSON.stringify(part).slice(1, 40)) + 60)) {
      const other = text[at] === 'a' ? 'b' : 'a';
      const flipped: unknown = JSON.parse(`${text.slice(0, at)}${other}${text.slice(at + 1)}`);
      expect(await verifyReceipt(flipped, trust)).toMatchObject({ ok: false });
    }
  });

  it('an unscored final is published with its reason and without a rank', async () => {
    const submission = await enclave.queued();
    await enclave.deliver(await enclave.report(await enclave.lastOrder(submission.id), systemFailure));
    expect(await release()).toBe(1);
    const row = (await board()).rows.find(({ id }) => id === submission.entry);
    expect(row).toMatchObject({
      avg: null,
      cells: { wordmath: { kind: 'unscored', reason: 'the engine could not load the weights' } },
    });
  });

  it('a re-grade appends: the old result stands until the new one is published, and stays addressable for ever', async () => {
    const { id, entry } = await graded(100);
    await release();
    await signLog();
    const publishedAt = clock.at;
    const admin = (reason: string) =>
      gateway.call(gateway.owner.token, 'POST', `/admin/submissions/${id}/regrade`, { reason });
    expect((await admin('a second look')).status).toBe(201);
    expect((await admin('again')).status).toBe(409);
    const order = await enclave.lastOrder(id);
    expect(order).toMatchObject({ cause: 'regrade', gradingNumber: 2 });
    await enclave.deliver(await enclave.report(order, scored(110)));
    const cellNow = async (query = '') =>
      (await board(query)).rows.find((row) => row.id === entry)?.cells.wordmath;
    expect(await cellNow()).toMatchObject({ gradingNumber: 1, score: { shown: '50.0' } });
    expect((await admin('while it is unpublished')).status).toBe(409);
    await release();
    await signLog();
    expect(await cellNow()).toMatchObject({ gradingNumber: 2, score: { shown: '55.0' } });
    expect(await cellNow(`?asOf=${publishedAt.toISOString()}`)).toMatchObject({
      gradingNumber: 1,
      score: { shown: '50.0' },
    });
    const { published } = await get<EntryDetail>(`/entries/${entry}`);
    const finals = published?.finals ?? [];
    expect(finals[0]?.gradings.map(({ number, cause, current }) => [number, cause, current])).toEqual([
      [1, 'first', false],
      [2, 'regrade', true],
    ]);
    for (const { receipt } of finals[0]?.gradings ?? [])
      expect(await verifyReceipt(await get(receipt.replace('/api/v1', '')), null)).toMatchObject({
        ok: true,
      });
    expect((await findSubmission(id, deps.db))?.submission.state).toBe('published');
  });

  it('the log proves that a leaf is in it and that it only grew', async () => {
    await signLog().catch(() => undefined);
    const old = (await log()).checkpoint;
    await graded(77);
    await release();
    await signLog();
    const now = await log(`&leaf=${old?.size ?? 0}&since=${old?.size}&from=${old?.size}`);
    const { checkpoint, inclusion, consistency, leaves } = now;
    expect(
      inclusionHolds(
        leaves[0]?.hash ?? '',
        inclusion?.index ?? -1,
        checkpoint?.size ?? 0,
        inclusion?.proof ?? [],
        checkpoint?.root ?? '',
      ),
    ).toBe(true);
    expect(
      consistencyHolds(
        old?.size ?? 0,
        old?.root ?? '',
        checkpoint?.size ?? 0,
        checkpoint?.root ?? '',
        consistency?.proof ?? [],
      ),
    ).toBe(true);
    expect((await gateway.call(null, 'GET', `/log?season=pocket&leaf=${checkpoint?.size}`)).status).toBe(400);
    expect((await gateway.call(null, 'GET', '/log?season=nowhere')).status).toBe(404);
  });

  it('an unchanged board is answered 304, and a publication makes it new', async () => {
    const first = await gateway.call(null, 'GET', '/seasons/pocket/board');
    const etag = first.headers.get('etag') ?? '';
    const again = () =>
      gateway.call(null, 'GET', '/seasons/pocket/board', undefined, { 'if-none-match': etag });
    expect((await again()).status).toBe(304);
    await graded(60);
    expect((await again()).status).toBe(304);
    await release();
    expect((await again()).status).toBe(200);
    const csv = await gateway.call(null, 'GET', '/seasons/pocket/board?format=csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect((await csv.text()).split('\r\n').length - 2).toBe((await board()).rows.length);
  });
});
