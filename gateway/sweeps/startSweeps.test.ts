import { eventsAfter } from '@vtb/db/public/events.ts';
import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { gradings } from '@vtb/db/public/schema.ts';
import { findSubmission } from '@vtb/db/public/submissions.ts';
import type { Submission } from '@vtb/protocol/wire/submissions.ts';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitingForMaintainer } from '../actions/failAsOurs.ts';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';
import { endOverdue } from './endOverdue.ts';
import { releaseFinals } from './releaseFinals.ts';
import { startSweeps } from './startSweeps.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps, clock } = gateway;

beforeAll(async () => {
  await enclave.holdSplits();
});

const hours = (count: number) => new Date(clock.at.getTime() + count * 3_600_000);

describe('an order that nobody answers', () => {
  it('is cancelled after its deadline and ordered again, once, whichever gateway finds it', async () => {
    const { id } = await enclave.queued();
    const first = await enclave.lastOrder(id);
    clock.at = new Date(Date.parse(first.deadline) + 3_599_000);
    expect(await endOverdue(deps)).toBe(0);
    clock.at = new Date(Date.parse(first.deadline) + 3_600_000);
    const ended = await Promise.all([endOverdue(deps), endOverdue(deps), endOverdue(deps)]);
    expect(ended.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await enclave.lastOrder(id)).toMatchObject({ cause: 'retry', gradingNumber: 2 });
    expect((await gradingsOf(id, deps.db)).map(({ state }) => state)).toEqual(['failed', 'ordered']);
    const late = await enclave.report(first, scored(150));
    expect((await enclave.deliver(late)).status).toBe(200);
    expect((await gradingsOf(id, deps.db))[0]).toMatchObject({ state: 'failed', result: null });
  });

  it('is given up after three times, and a maintainer has to look', async () => {
    const { id } = await enclave.queued();
    for (let time = 0; time < 3; time++) {
      clock.at = hours(30);
      await endOverdue(deps);
    }
    clock.at = hours(30);
    await endOverdue(deps);
    expect((await gradingsOf(id, deps.db)).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    expect((await findSubmission(id, deps.db))?.submission).toMatchObject({
      state: 'queued',
      stateReason: waitingForMaintainer,
    });
  });
});

describe('a quiet final', () => {
  /** Everything its team can see of it, with ids taken out. */
  async function seen(team: string, submission: string) {
    const { token } = await gateway.person({ team });
    const view = (await (
      await gateway.call(token, 'GET', `/submissions/${submission}`)
    ).json()) as Submission;
    const events = await eventsAfter({ submission, after: 0, limit: 100 }, deps.db);
    return {
      events: events.map(({ kind, state, reason, progress, at }) => ({ kind, state, reason, progress, at })),
      view: [view.state, view.stateAt, view.queuePosition, view.expectedWaitMinutes, view.progress],
      gradings: view.gradings.map(({ state, finishedAt, result, published }) => ({
        state,
        finishedAt,
        result,
        published,
      })),
    };
  }

  it('looks the same to its team whether its grading took a moment or nearly until the release', async () => {
    clock.at = new Date(Math.ceil(hours(1).getTime() / 10_000) * 10_000);
    const start = clock.at.getTime();
    const [quick, slow] = [await enclave.queued(), await enclave.queued()];
    const [quickOrder, slowOrder] = [await enclave.lastOrder(quick.id), await enclave.lastOrder(slow.id)];
    for (const { order } of [quickOrder, slowOrder])
      await enclave.notify('progress', { order, state: 'replaying', attempt: 1, trials: null });
    const same = async () => expect(await seen(quick.team, quick.id)).toEqual(await seen(slow.team, slow.id));
    clock.at = new Date(start + 1_234);
    await enclave.deliver(await enclave.report(quickOrder, scored(150)));
    await same();
    clock.at = new Date(start + 9_876);
    await same();
    await enclave.deliver(await enclave.report(slowOrder, scored(150)));
    await same();
    clock.at = new Date(start + 10_400);
    expect(await releaseFinals(deps)).toBe(2);
    await same();
    const { view, gradings } = await seen(quick.team, quick.id);
    expect(view.slice(0, 2)).toEqual(['published', new Date(start + 10_000).toISOString()]);
    expect(gradings[0]?.finishedAt).toBe(new Date(start + 10_000).toISOString());
  });

  it('stays in others’ queue until its release', async () => {
    const [quiet, other] = [await enclave.queued(), await enclave.queued()];
    const order = await enclave.lastOrder(quiet.id);
    await enclave.notify('progress', { order: order.order, state: 'replaying', attempt: 1, trials: null });
    const before = (await seen(other.team, other.id)).view;
    await enclave.deliver(await enclave.report(order, scored(10)));
    expect((await seen(other.team, other.id)).view).toEqual(before);
  });
});

it('sweeping by itself publishes and checkpoints, goes on after a failed round, and ends when told to', async () => {
  const { id } = await enclave.queued();
  await enclave.deliver(await enclave.report(await enclave.lastOrder(id), scored(150)));
  clock.at = new Date(clock.at.getTime() + 20_000);
  const stopping = new AbortController();
  let failuresLeft = 1;
  const published = Promise.withResolvers<void>();
  const watched: typeof deps = {
    ...deps,
    get seasons() {
      if (failuresLeft-- > 0) throw new Error('a round that fails');
      return deps.seasons;
    },
    log: (event, facts) => {
      gateway.lines.push(JSON.stringify({ event, ...facts }));
      if (facts?.sweep === 'releaseFinals' && event === 'sweep') published.resolve();
    },
  };
  const sweeping = startSweeps(watched, stopping.signal);
  await published.promise;
  stopping.abort();
  await sweeping;
  expect((await findSubmission(id, deps.db))?.submission.state).toBe('published');
  expect(
    gateway.lines.some((line) => line.includes('sweep.failed') && line.includes('a round that fails')),
  ).toBe(true);
});

it('one submission that cannot be published does not keep the others from it', async () => {
  const [broken, sound] = [await enclave.queued(), await enclave.queued()];
  for (const { id } of [broken, sound])
    await enclave.deliver(await enclave.report(await enclave.lastOrder(id), scored(7)));
  await deps.db
    .update(gradings)
    .set({ result: { kind: 'nonsense' } })
    .where(eq(gradings.submission, broken.id));
  clock.at = new Date(clock.at.getTime() + 20_000);
  await releaseFinals(deps);
  expect((await findSubmission(sound.id, deps.db))?.submission.state).toBe('published');
  expect((await findSubmission(broken.id, deps.db))?.submission.state).toBe('grading');
});
