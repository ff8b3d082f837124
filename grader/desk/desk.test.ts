import { testDatabase } from '@vtb/db/testDatabase.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { reportOf } from '@vtb/db/vault/outgoing.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { deskPaths } from '@vtb/protocol/wire/desk.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { gradeOnce } from '../grade.ts';
import { type TestEnclave, testEnclave, testSystem } from '../testKit.ts';
import { type TestRunner, testDesk, testEnvironment } from '../testKitRunner.ts';

const database = await testDatabase('vault');
let at: TestEnclave;
let desk: ReturnType<typeof testDesk>;
const grade = () => gradeOnce({ number: 0 }, at.enclave);
const later = (ms: number) => {
  at.clock.now = new Date(at.clock.now.getTime() + ms);
};

beforeAll(async () => {
  at = await testEnclave(database.url);
  desk = testDesk(at.enclave);
});

/** Two fresh runners and a fresh order; whatever was open before is closed. */
async function fresh(
  name: string,
  purpose: 'validation' | 'final' = 'validation',
  changes: Record<string, unknown> = {},
) {
  for (const { id } of await database.sql`SELECT id FROM orders WHERE state IN ('ordered', 'replaying')`) {
    await at.feed.arrive(await at.feed.sign('cancel', { order: id, cause: 'superseded' }));
  }
  const system = testSystem(name);
  const order = await at.feed.sendOrder(system, purpose, changes);
  await grade();
  return { order, system, a: await desk.enrol(), b: await desk.enrol() };
}

describe('who may ask', () => {
  test('no token, a wrong kind, audience, key or age, and a lifetime over five minutes get 401', async () => {
    const { a, b } = await fresh('auth');
    const ask = (authorization?: string) =>
      desk.app.request('/replays/lease', {
        method: 'POST',
        body: '{}',
        headers: authorization === undefined ? {} : { authorization },
      });
    expect((await ask()).status).toBe(401);
    expect((await ask('Bearer x.y.z')).status).toBe(401);
    for (const changes of [
      { aud: 'vtb-airlock' },
      { typ: 'at+jwt' },
      { age: 400 },
      { seconds: 400 },
      { sub: 'me' },
    ]) {
      expect((await ask(`Bearer ${await a.token(changes)}`)).status, JSON.stringify(changes)).toBe(401);
    }
    expect((await ask(`Bearer ${await a.token()}`)).status).toBe(400);
    await b.lease();
    expect((await ask(`Bearer ${await a.token({ sub: b.id })}`)).status, 'another runner’s id').toBe(401);
    const stranger = await testDesk(at.enclave).enrol();
    expect((await ask(`Bearer ${await stranger.token()}`)).status, 'a key that is not enrolled').toBe(401);
  });

  test('another runner’s replays, trials and bytes look like nothing', async () => {
    const { a, b, system } = await fresh('authority');
    const replay = await a.mustLease();
    const [trial] = (await a.claim(replay, 1)).trials;
    if (trial === undefined) throw new Error('a trial was claimed');
    const asks: [string, string, unknown?][] = [
      ['POST', deskPaths.heartbeat(replay.replay), { fencing: replay.fencing, trials: [] }],
      [
        'POST',
        deskPaths.claim(replay.replay),
        { fencing: replay.fencing, room: 1, environment: testEnvironment },
      ],
      [
        'POST',
        deskPaths.finish(replay.replay),
        { fencing: replay.fencing, result: { kind: 'done' }, engineMs: 0 },
      ],
      ['GET', deskPaths.chunk(replay.replay, system.weights, replay.fencing)],
      ['GET', deskPaths.task(trial.trial, trial.fencing)],
      ['POST', deskPaths.agentDone(trial.trial), { fencing: trial.fencing }],
      ['PUT', deskPaths.artifact(trial.trial, sha256Hex('x'), trial.fencing), Buffer.from('x')],
    ];
    for (const [method, path, body] of asks) expect((await b.ask(method, path, body)).status, path).toBe(404);
    expect((await b.answer(trial, '\\boxed{1}')).status).toBe(404);
    expect((await a.ask('GET', '/verifications/x')).status).toBe(404);
    expect((await a.answer(trial, '\\boxed{1}')).status).toBe(200);
  });

  test('bytes are those of the order’s system and the track’s base, and no others', async () => {
    const { a, system } = await fresh('bytes');
    const replay = await a.mustLease();
    const get = async (path: string) => a.ask('GET', path);
    const chunk = await get(deskPaths.chunk(replay.replay, system.weights, replay.fencing));
    expect(sha256Hex(new Uint8Array(await chunk.arrayBuffer()))).toBe(system.weights);
    expect((await get(deskPaths.chunk(replay.replay, system.digest, replay.fencing))).status).toBe(200);
    expect(
      (await get(deskPaths.chunk(replay.replay, testSystem('bytes, another').weights, replay.fencing)))
        .status,
    ).toBe(404);
    expect((await get(deskPaths.chunk(replay.replay, '..%2f..%2fsecret', replay.fencing))).status).toBe(404);
    const { base } = replay.track;
    if (base.kind !== 'gguf') throw new Error('the base is a GGUF');
    expect(await (await get(deskPaths.asset(replay.replay, base.header.sha256, replay.fencing))).text()).toBe(
      'header',
    );
    expect((await get(deskPaths.asset(replay.replay, sha256Hex('other'), replay.fencing))).status).toBe(404);
    expect((await get(deskPaths.chunk(replay.replay, system.weights, replay.fencing + 1))).status).toBe(409);
  });
});

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
