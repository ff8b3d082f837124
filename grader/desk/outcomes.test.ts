import { testDatabase } from '@vtb/db/testDatabase.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { reportOf } from '@vtb/db/vault/outgoing.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { deskPaths } from '@vtb/protocol/wire/desk.ts';
import { describe, expect, test } from 'vitest';
import { testEnvironment } from '../testKitRunner.ts';
import { deskSuite } from './testKitDesk.ts';

const database = await testDatabase('vault');
const { at, grade, later, fresh } = await deskSuite(database);

describe('outcomes', () => {
  test('the same one twice is taken once; another one is refused', async () => {
    const { a } = await fresh('twice');
    const replay = await a.mustLease();
    const [trial] = (await a.claim(replay, 1)).trials;
    if (trial === undefined) throw new Error('a trial was claimed');
    expect(await (await a.answer(trial, '\\boxed{2}')).json()).toEqual({ accepted: true, again: false });
    expect(await (await a.answer(trial, '\\boxed{2}')).json()).toEqual({ accepted: true, again: true });
    expect((await a.answer(trial, '\\boxed{3}')).status).toBe(409);
  });

  test('a failure of ours is tried once more with the same seed; a second one fails the order as ours', async () => {
    const { a, order } = await fresh('ours');
    const replay = await a.mustLease();
    const [trial] = (await a.claim(replay, 1)).trials;
    if (trial === undefined) throw new Error('a trial was claimed');
    await a.failTrial(trial, 'ours');
    expect(await (await a.failTrial(trial, 'ours')).json()).toEqual({ accepted: true, again: true });
    const [retry] = (await a.claim(replay, 1)).trials;
    expect(retry).toMatchObject({ trial: trial.trial, seed: trial.seed, attempt: 2 });
    await grade();
    expect((await findOrder(order.order, at.enclave.db))?.state).toBe('replaying');
    if (retry !== undefined) await a.failTrial(retry, 'ours');
    await grade();
    expect((await findOrder(order.order, at.enclave.db))?.result).toEqual({
      kind: 'failed',
      fault: 'ours',
      cause: 'runner',
    });
  });

  test('trials the system spoiled count 0 and stay in the denominator', async () => {
    const { a, order } = await fresh('spoiled');
    const replay = await a.mustLease();
    for (const trial of (await a.claim(replay, 6)).trials) await a.failTrial(trial, 'system');
    await a.finish(replay);
    await grade();
    expect((await findOrder(order.order, at.enclave.db))?.result).toMatchObject({
      kind: 'scored',
      metrics: [{ n: 3, k: 2, sumC: 0 }],
      totals: { promptTokens: null, generatedTokens: null },
    });
  });

  test('a trial that is lost five times fails the order as ours', async () => {
    const { a, order } = await fresh('exhausted');
    for (let round = 0; round < 5; round += 1) {
      await a.claim(await a.mustLease(), 1);
    }
    later(20_001);
    await grade();
    await grade();
    expect((await findOrder(order.order, at.enclave.db))?.result).toEqual({
      kind: 'failed',
      fault: 'ours',
      cause: 'runner',
    });
  });

  test('an environment that changes within a replay is refused', async () => {
    const { a } = await fresh('environment');
    const replay = await a.mustLease();
    await a.claim(replay, 1);
    const other = { ...testEnvironment, engineDigest: sha256Hex('another engine') };
    await expect(a.claim(replay, 1, other)).rejects.toThrow('409');
  });

  test('a second order’s runner may help, and the result says that there were two and how weakly one was isolated', async () => {
    const { a, b, order } = await fresh('help');
    const [first, second] = [await a.mustLease(), await b.mustLease()];
    const weak = { ...testEnvironment, isolation: 'process+netns' } as const;
    const [mine, theirs] = [(await a.claim(first, 5)).trials, (await b.claim(second, 5, weak)).trials];
    for (const trial of mine) await a.answer(trial, '\\boxed{2}');
    for (const trial of theirs) await b.answer(trial, '\\boxed{2}');
    await a.finish(first);
    await grade();
    expect(await reportOf(order.order, at.enclave.db)).toBeUndefined();
    await b.finish(second);
    await grade();
    expect((await findOrder(order.order, at.enclave.db))?.result).toMatchObject({
      flags: ['notIsolatedFromHost', 'moreRunnersThanOne'],
      environment: { isolation: 'process+netns' },
      totals: { replayHours: 2 },
    });
  });

  test('artifacts are sealed, and only under their own digest', async () => {
    const { a } = await fresh('artifact');
    const [trial] = (await a.claim(await a.mustLease(), 1)).trials;
    if (trial === undefined) throw new Error('a trial was claimed');
    const bytes = Buffer.from('token ids');
    expect(
      (await a.ask('PUT', deskPaths.artifact(trial.trial, sha256Hex('x'), trial.fencing), bytes)).status,
    ).toBe(422);
    const put = async () =>
      (await a.ask('PUT', deskPaths.artifact(trial.trial, sha256Hex(bytes), trial.fencing), bytes)).json();
    expect(await put()).toEqual({ accepted: true, again: false });
    expect(await put()).toEqual({ accepted: true, again: true });
  });
});
