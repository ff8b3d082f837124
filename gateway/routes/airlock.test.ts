import { createHash } from 'node:crypto';
import { feedAfter } from '@vtb/db/public/feed.ts';
import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { cancelSchema } from '@vtb/protocol/messages/order.ts';
import { publicHalf, seal, unseal } from '@vtb/protocol/messages/sealing.ts';
import type { Feed } from '@vtb/protocol/wire/airlock.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { cancelOrders } from '../actions/cancelOrders.ts';
import { sendCheckpoints } from '../sweeps/sendCheckpoints.ts';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps, clock } = gateway;

beforeAll(async () => {
  await enclave.holdSplits();
});

async function feed(query: string): Promise<Feed['items']> {
  const response = await enclave.get(`/airlock/feed?${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as Feed).items;
}

const withdraw = (submission: string) =>
  deps.db.transaction((tx) =>
    cancelOrders({ submission, cause: 'withdrawn', actor: 'gateway', at: clock.at }, deps, tx),
  );

async function statusOf(response: Promise<Response>) {
  return (await response).status;
}

describe('the feed', () => {
  it('is one chain: each message names its number and the digest of the one before, also when orders are made at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => enclave.queued()));
    const items = await feed('after=0');
    let previous = '0'.repeat(64);
    for (const [index, { number, jws }] of items.entries()) {
      const payload = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as {
        number: number;
        previous: string;
      };
      expect([number, payload.number, payload.previous]).toEqual([index + 1, index + 1, previous]);
      previous = createHash('sha256').update(jws).digest('hex');
    }
  });

  it('answers at once with what is there, and from a number on', async () => {
    const all = await feed('after=0&wait=30');
    expect(await feed(`after=${all.length - 1}&wait=30`)).toEqual(all.slice(-1));
    expect(await feed(`after=${all.length}`)).toEqual([]);
  });

  it('wakes a waiting courier when something comes', async () => {
    const after = (await feed('after=0')).length;
    const waiting = feed(`after=${after}&wait=30`);
    await enclave.queued();
    expect(await waiting).toHaveLength(1);
  });

  it('refuses a longer wait than it holds a connection for', async () => {
    expect(await statusOf(enclave.get('/airlock/feed?wait=31'))).toBe(400);
  });
});

describe('chunks of an order', () => {
  it('are its own, and its manifest under the system’s digest', async () => {
    const { id, chunk, system } = await enclave.queued();
    const { order } = await enclave.lastOrder(id);
    const bytes = await enclave.get(`/airlock/orders/${order}/chunks/${chunk}`);
    expect(sha256Hex(new Uint8Array(await bytes.arrayBuffer()))).toBe(chunk);
    const manifest = await enclave.get(`/airlock/orders/${order}/chunks/${system}`);
    expect(sha256Hex(new Uint8Array(await manifest.arrayBuffer()))).toBe(system);
  });

  it('are not another order’s, though the store holds them', async () => {
    const [mine, theirs] = [await enclave.queued(), await enclave.queued()];
    const { order } = await enclave.lastOrder(mine.id);
    for (const digest of [theirs.chunk, theirs.system, sha256Hex('nowhere'), '..%2F..%2Fkeys'])
      expect(await statusOf(enclave.get(`/airlock/orders/${order}/chunks/${digest}`))).toBe(404);
  });

  it('are gone when the order was cancelled or answered', async () => {
    const [cancelled, answered] = [await enclave.queued(), await enclave.queued()];
    const orders = [await enclave.lastOrder(cancelled.id), await enclave.lastOrder(answered.id)] as const;
    await withdraw(cancelled.id);
    await enclave.deliver(await enclave.report(orders[1], scored(1)));
    expect(await statusOf(enclave.get(`/airlock/orders/${orders[0].order}/chunks/${cancelled.chunk}`))).toBe(
      404,
    );
    expect(await statusOf(enclave.get(`/airlock/orders/${orders[1].order}/chunks/${answered.chunk}`))).toBe(
      404,
    );
  });

  it('are for the courier alone', async () => {
    const { id, chunk } = await enclave.queued();
    const { order } = await enclave.lastOrder(id);
    expect(
      await statusOf(gateway.call(gateway.owner.token, 'GET', `/airlock/orders/${order}/chunks/${chunk}`)),
    ).toBe(403);
  });
});

it('a withdrawn order is cancelled by a signed message that names it', async () => {
  const { id } = await enclave.queued();
  const { order } = await enclave.lastOrder(id);
  await withdraw(id);
  const cancel = (await feedAfter({ after: 0, limit: 1_000 }, deps.db)).at(-1);
  expect(cancel?.kind).toBe('cancel');
  const { payload } = await unseal('cancel', cancel?.jws ?? '', cancelSchema, {
    [deps.keys.signing.kid]: publicHalf(deps.keys.signing),
  });
  expect(payload).toMatchObject({ order, cause: 'withdrawn' });
});

describe('attachments', () => {
  const text = Buffer.from('{"task":"1"}\n');
  const sha256 = sha256Hex(text);
  const put = async (report: string, digest: string, bytes: Uint8Array) =>
    gateway.call(
      await gateway.courierToken(),
      'PUT',
      `/airlock/reports/${report}/attachments/${digest}`,
      bytes,
    );

  it('are taken once when their report declared them, and their bytes are checked', async () => {
    const { id } = await enclave.queued({ purpose: 'validation' });
    const order = await enclave.lastOrder(id);
    const attachments = [{ sha256, size: text.length, kind: 'trials' as const }];
    const report = await enclave.report(order, scored(50, 'validation'), { attachments });
    expect(await statusOf(put(report.id, sha256, text))).toBe(404);
    await enclave.deliver(report);
    expect(await statusOf(put(report.id, sha256, Buffer.from('{"task":"2"}\n')))).toBe(422);
    expect(await (await put(report.id, sha256, text)).json()).toEqual({ accepted: true, again: false });
    expect(await (await put(report.id, sha256, text)).json()).toEqual({ accepted: true, again: true });
    expect(await statusOf(put(report.id, sha256Hex('undeclared'), text))).toBe(404);
    expect(await deps.chunks.has(sha256)).toBe(true);
  });

  it('of a final are never taken: nothing declares them', async () => {
    const { id } = await enclave.queued();
    const report = await enclave.report(await enclave.lastOrder(id), scored(50));
    await enclave.deliver(report);
    expect(await statusOf(put(report.id, sha256, text))).toBe(404);
  });
});

describe('notices', () => {
  it('of progress move a submission to grading, show trials of a visible split, and never go back', async () => {
    const { id } = await enclave.queued({ purpose: 'validation' });
    const { order } = await enclave.lastOrder(id);
    const said = (state: string, attempt: number, done: number | null) =>
      enclave.notify('progress', {
        order,
        state,
        attempt,
        trials: done === null ? null : { done, total: 400 },
      });
    await said('replaying', 1, 40);
    await said('accepted', 1, null);
    await said('replaying', 1, 20);
    expect((await findSubmission(id, deps.db))?.submission.state).toBe('grading');
    expect((await gradingsOf(id, deps.db))[0]).toMatchObject({
      state: 'replaying',
      progress: { state: 'replaying', done: 40, total: 400 },
    });
    await said('replaying', 2, 10);
    expect((await gradingsOf(id, deps.db))[0]).toMatchObject({ progress: { attempt: 2, done: 10 } });
  });

  it('that count trials of a hidden split are refused', async () => {
    const { id } = await enclave.queued();
    const { order } = await enclave.lastOrder(id);
    expect(
      await statusOf(
        enclave.notify('progress', {
          order,
          state: 'replaying',
          attempt: 1,
          trials: { done: 1, total: 800 },
        }),
      ),
    ).toBe(422);
    expect((await gradingsOf(id, deps.db))[0]).toMatchObject({ state: 'ordered', progress: null });
  });

  it('delivered twice change nothing; another text under the same id is refused', async () => {
    const { id } = await enclave.queued();
    const { order } = await enclave.lastOrder(id);
    const notice = `not_${'a'.repeat(20)}`;
    const facts = { order, state: 'accepted', attempt: 1, trials: null };
    expect(await (await enclave.notify('progress', facts, notice)).json()).toMatchObject({ again: false });
    expect(await (await enclave.notify('progress', facts, notice)).json()).toMatchObject({ again: true });
    expect(await statusOf(enclave.notify('progress', { ...facts, attempt: 2 }, notice))).toBe(409);
  });

  it('of a refused order return the submission to the queue with a new order', async () => {
    const { id } = await enclave.queued();
    const first = await enclave.lastOrder(id);
    await enclave.notify('progress', { order: first.order, state: 'refused', attempt: 1, trials: null });
    expect(await enclave.lastOrder(id)).toMatchObject({ cause: 'retry', gradingNumber: 2 });
  });

  it('of a split that the season fixes otherwise are refused', async () => {
    const split = {
      season: 'pocket',
      track: 'wordmath',
      purpose: 'validation',
      split: sha256Hex('other'),
      tasks: 100,
      secrecy: 'visible',
      commitment: sha256Hex('c'),
    };
    expect(await statusOf(enclave.notify('splits', { splits: [split] }))).toBe(422);
  });

  it('of a changed split add a leaf, and new orders name the new split', async () => {
    clock.at = new Date(clock.at.getTime() + 1_000);
    const test = sha256Hex('a later test split');
    expect(await statusOf(enclave.holdSplits({ test }))).toBe(200);
    const { id } = await enclave.queued();
    expect((await enclave.lastOrder(id)).split).toBe(test);
    const log = (await (await gateway.call(null, 'GET', '/log?season=pocket')).json()) as {
      leaves: { text: string }[];
    };
    expect(JSON.parse(log.leaves.at(-1)?.text ?? '')).toMatchObject({
      kind: 'splits',
      splits: [{ split: test }],
    });
  });

  it('of a signature over another tree than ours are refused', async () => {
    await sendCheckpoints(deps);
    const { pending } = (await (await gateway.call(null, 'GET', '/log?season=pocket')).json()) as {
      pending: { size: number; gateway: string };
    };
    const ours = JSON.parse(
      Buffer.from(pending.gateway.split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, unknown>;
    for (const change of [
      { root: sha256Hex('other') },
      { log: sha256Hex('other') },
      { size: pending.size + 1 },
    ]) {
      const head = await seal('treeHead', { ...ours, ...change }, gateway.grader);
      expect(
        await statusOf(enclave.notify('cosignature', { season: 'pocket', size: pending.size, head })),
      ).toBe(422);
    }
    expect(
      await statusOf(
        enclave.notify('cosignature', { season: 'pocket', size: pending.size, head: pending.gateway }),
      ),
    ).toBe(422);
    expect(await statusOf(enclave.cosign())).toBe(200);
  });
});
