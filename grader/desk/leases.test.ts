import { testDatabase } from '@vtb/db/testDatabase.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { deskPaths } from '@vtb/protocol/wire/desk.ts';
import { describe, expect, test } from 'vitest';
import { testSystem } from '../testKit.ts';
import type { TestRunner } from '../testKitRunner.ts';
import { isolates } from './leaseReplay.ts';
import { deskSuite } from './testKitDesk.ts';

const database = await testDatabase('vault');
const { at, desk, grade, later, fresh } = await deskSuite(database);

describe('leases', () => {
  test('many claims at once never get one trial twice', async () => {
    const { a, b, order } = await fresh('race', 'final', { team: '1'.repeat(32) });
    const [first, second] = [await a.mustLease(), await b.mustLease()];
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? a.claim(first, 3) : b.claim(second, 3))),
    );
    const claimed = claims.flatMap((claim) => claim.trials.map((trial) => trial.trial));
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed).toHaveLength(20);
    expect(await a.claim(first, 3)).toMatchObject({ trials: [], left: 'elsewhere' });
    expect((await findOrder(order.order, at.enclave.db))?.state).toBe('replaying');
  });

  test('a runner that vanishes in mid-trial loses it; its late answer is refused and the next attempt has the same seed', async () => {
    const { a, b, order } = await fresh('vanish');
    const lost = await a.mustLease();
    const [mine] = (await a.claim(lost, 1)).trials;
    if (mine === undefined) throw new Error('a trial was claimed');
    expect(await b.problem(mine).catch((error: Error) => error.message)).toContain('404');
    later(20_001);
    await grade();
    const replay = await b.mustLease();
    expect(replay.attempt).toBe(2);
    const { trials } = await b.claim(replay, 6);
    const again = trials.find((trial) => trial.trial === mine.trial);
    expect(again).toMatchObject({ attempt: 2, seed: mine.seed, fencing: mine.fencing + 1 });
    expect((await a.answer(mine, '\\boxed{2}')).status).toBe(409);
    expect(
      (await a.ask('POST', deskPaths.heartbeat(lost.replay), { fencing: lost.fencing, trials: [] })).status,
    ).toBe(409);
    for (const trial of trials) expect((await b.answer(trial, '\\boxed{0}')).status).toBe(200);
    await b.finish(replay);
    await grade();
    expect((await findOrder(order.order, at.enclave.db))?.result).toMatchObject({
      kind: 'scored',
      retriedTrials: '1-4',
    });
  });

  test('heartbeats keep trials, and name those that are lost', async () => {
    const { a } = await fresh('heartbeat');
    const replay = await a.mustLease();
    const { trials } = await a.claim(replay, 2);
    const [kept, forgotten] = trials;
    if (kept === undefined || forgotten === undefined) throw new Error('two trials were claimed');
    const beat = async (held: readonly { trial: string; fencing: number }[]) => {
      const body = {
        fencing: replay.fencing,
        trials: held.map(({ trial, fencing }) => ({ trial, fencing })),
      };
      return (await a.ask('POST', deskPaths.heartbeat(replay.replay), body)).json();
    };
    later(15_000);
    expect(await beat([kept])).toMatchObject({ lost: [] });
    later(15_000);
    expect(await beat([kept, forgotten])).toMatchObject({ lost: [forgotten.trial] });
    expect((await a.answer(kept, '\\boxed{2}')).status).toBe(200);
    expect((await a.answer(forgotten, '\\boxed{2}')).status).toBe(409);
  });

  test('guessed fencing numbers get 409', async () => {
    const { a } = await fresh('guess');
    const replay = await a.mustLease();
    const [trial] = (await a.claim(replay, 1)).trials;
    if (trial === undefined) throw new Error('a trial was claimed');
    expect((await a.answer({ ...trial, fencing: trial.fencing + 1 }, '\\boxed{2}')).status).toBe(409);
    expect((await a.finish({ ...replay, fencing: replay.fencing + 1 })).status).toBe(409);
    expect((await a.ask('GET', deskPaths.task(trial.trial, 0))).status).toBe(400);
  });

  test('a runner that asks anew gives up what it held, and goes on with it at once', async () => {
    const { a } = await fresh('restart');
    const before = await a.mustLease();
    const { trials } = await a.claim(before, 6);
    const after = await a.mustLease();
    expect(after.attempt).toBe(2);
    expect((await a.claim(after, 6)).trials.map((trial) => trial.trial)).toEqual(
      trials.map((trial) => trial.trial),
    );
    expect((await a.finish(before)).status).toBe(409);
  });

  test('finals go first, then the team with less at work', async () => {
    await fresh('queue');
    const ordered = [];
    ordered.push(await at.feed.sendOrder(testSystem('v2'), 'validation', { team: '2'.repeat(32) }));
    ordered.push(await at.feed.sendOrder(testSystem('f2'), 'final', { team: '2'.repeat(32) }));
    await grade();
    const runners = [await desk.enrol(), await desk.enrol(), await desk.enrol()];
    const order = async (runner: TestRunner) => {
      const replay = await runner.mustLease();
      const [row] = await database.sql`SELECT "order" FROM replays WHERE id = ${replay.replay}`;
      return row?.order;
    };
    const taken = [];
    for (const runner of runners) taken.push(await order(runner));
    expect([taken[0], taken[2]]).toEqual([ordered[1]?.order, ordered[0]?.order]);
  });

  test('a runner without a uid of its own for each box gets work only over the embedded database', async () => {
    const { a } = await fresh('weak');
    for (const isolation of ['process', 'process+netns'] as const) {
      const capabilities = { engines: ['llama.cpp'], drivers: ['prompt'], isolation, hardware: 'x' };
      const response = await a.ask('POST', deskPaths.lease(), { capabilities, waitSeconds: 0 });
      expect(await response.json()).toEqual({ replay: null });
      expect(at.logged.at(-1)).toContain('runner.tooWeak');
    }
    expect(await a.lease()).not.toBeNull();
    const tryOut = { isVaultEmbedded: true };
    for (const isolation of ['process', 'process+netns'] as const) {
      expect(isolates({ edits: ['data'], driver: 'prompt' }, { isolation }, tryOut)).toBe(true);
      expect(isolates({ edits: ['data'], driver: 'harbor' }, { isolation }, tryOut)).toBe(false);
      expect(isolates({ edits: ['harness'], driver: 'prompt' }, { isolation }, tryOut)).toBe(false);
    }
    const uid = { isolation: 'process+uid+netns' } as const;
    expect(isolates({ edits: ['harness'], driver: 'prompt' }, uid, tryOut)).toBe(false);
  });

  test('a runner that can’t replay a track gets nothing', async () => {
    const { a } = await fresh('capabilities');
    for (const changes of [{ engines: ['vllm'] }, { drivers: ['harbor'] }]) {
      const capabilities = {
        engines: ['llama.cpp'],
        drivers: ['prompt'],
        isolation: 'container',
        hardware: 'x',
        ...changes,
      };
      const response = await a.ask('POST', deskPaths.lease(), { capabilities, waitSeconds: 0 });
      expect(await response.json()).toEqual({ replay: null });
    }
  });
});
