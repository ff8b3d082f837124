import { testDatabase } from '@vtb/db/testDatabase.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { deskPaths } from '@vtb/protocol/wire/desk.ts';
import { describe, expect, test } from 'vitest';
import { testSystem } from '../testKit.ts';
import { testDesk, testEnvironment } from '../testKitRunner.ts';
import { deskSuite } from './testKitDesk.ts';

const database = await testDatabase('vault');
const { at, desk, fresh } = await deskSuite(database);

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
