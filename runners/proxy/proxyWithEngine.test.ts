import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningEngine } from '../engines/engine.ts';
import { llamaCpp } from '../engines/llamaCpp.ts';
import { codePaths } from '../isolation/codePaths.ts';
import type { ProcessLevel } from '../isolation/level.ts';
import { probeIsolation } from '../isolation/probeIsolation.ts';
import { slotUid } from '../isolation/slotUid.ts';
import { spawnIsolated } from '../isolation/spawnIsolated.ts';
import { proxyStart, roomyLimits, send, sendAndLeave, socketDir } from './proxy.fixture.ts';
import type { UsageRecord } from './proxyProtocol.ts';
import { type RunningProxy, startProxy } from './startProxy.ts';

const weightsPath = join(import.meta.dirname, '../../seasons/pocket/systems/tuned/weights/model.gguf');
const signal = new AbortController().signal;
const token = 'token-of-one-trial-0123456789';
const [engineSlot, proxySlot, strangerSlot] = [900_021, 900_022, 900_023];
const problem = 'Tom had 2, got 3, got 4, got 5, got 6. How many?';
let level: ProcessLevel;
let engine: RunningEngine;
let proxy: RunningProxy;
const usages: UsageRecord[] = [];

beforeAll(async () => {
  ({ level } = await probeIsolation({ slot: engineSlot }, { signal }));
  const uidOf = (slot: number) => (level === 'process+uid+netns' ? slotUid(slot) : null);
  engine = await llamaCpp.start({
    ...{ weightsPath, weightsDigest: 'd', workDir: socketDir(), signal },
    isolation: { level, uid: uidOf(engineSlot), peerGid: uidOf(proxySlot) },
    settings: {
      ...{ template: 'chatml', contextTokensMax: 512, outputTokensMax: 128, concurrencyMax: 4, queueMax: 4 },
      ...{ threads: 1, memoryBytesMax: 2 ** 30, loadTimeoutMs: 60_000 },
    },
  });
  const limits = { ...roomyLimits, requestTimeoutMs: 60_000 };
  const isolation = { level, uid: uidOf(proxySlot), peerGid: null };
  proxy = await startProxy(proxyStart(engine.socketPath, { limits, isolation }), {
    onUsage: (u) => usages.push(u),
  });
});

afterAll(async () => {
  await proxy?.stop();
  await engine?.stop();
});

test('300 streams that leave at their first byte: exactly 200 are admitted, and no generated token is missing', async () => {
  const before = await counters();
  await proxy.openTrial({ trial: 'leavers', token, seed: 1, turnsMax: 200, outputTokensMax: 128 });
  const body = JSON.stringify({ messages: [{ role: 'user', content: problem }], stream: true });
  const statuses = await Promise.all(
    Array.from({ length: 300 }, () => sendAndLeave(proxy.socketPath, { body, token })),
  );
  const totals = await proxy.closeTrial('leavers');
  const after = await counters();
  expect(statuses.filter((s) => s === 200)).toHaveLength(200);
  expect(statuses.filter((s) => s === 403)).toHaveLength(100);
  expect(after.requests - before.requests).toBe(200);
  expect(totals).toMatchObject({
    turns: 200,
    generatedTokens: after.generatedTokens - before.generatedTokens,
    promptTokens: after.promptTokens - before.promptTokens,
    cachedTokens: 0,
  });
  expect(totals.generatedTokens).toBeGreaterThanOrEqual(200);
  expect(
    usages
      .filter((u) => u.trial === 'leavers')
      .map((u) => u.turn)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: 200 }, (_, i) => i));
}, 120_000);

test('closing a trial ends what it has running, counted, and other trials go on', async () => {
  const before = await counters();
  const [a, b] = ['a', 'b'].map((name) => `${name}-${token}`) as [string, string];
  for (const [trial, own] of [
    ['a', a],
    ['b', b],
  ] as const) {
    await proxy.openTrial({ trial, token: own, seed: 1, turnsMax: 50, outputTokensMax: 128 });
  }
  const body = JSON.stringify({ messages: [{ role: 'user', content: problem }] });
  const own = Array.from({ length: 6 }, () => send(proxy.socketPath, { token: a, body }).catch(() => null));
  const others = Array.from({ length: 3 }, () => send(proxy.socketPath, { token: b, body }));
  const replies = await Promise.race([Promise.all(others), Promise.race(own).then(() => null)]);
  const totalsA = await proxy.closeTrial('a');
  await Promise.all(own);
  expect((await Promise.all(others)).map((r) => r.status)).toEqual([200, 200, 200]);
  const totalsB = await proxy.closeTrial('b');
  const after = await counters();
  expect(replies === null || replies.length === 3).toBe(true);
  expect((totalsA.generatedTokens ?? Number.NaN) + (totalsB.generatedTokens ?? Number.NaN)).toBe(
    after.generatedTokens - before.generatedTokens,
  );
});

test('the engine’s socket is reachable by the proxy’s gid and by no other box', async (context) => {
  if (level !== 'process+uid+netns') context.skip('needs uids of their own, which needs root');
  const reach = async (slot: number) => {
    const code = `require('node:net').connect(${JSON.stringify(engine.socketPath)}).on('connect', () => { console.log('in'); process.exit() }).on('error', (e) => { console.log(e.code); process.exit() })`;
    const child = spawnIsolated({
      ...{
        level,
        command: process.execPath,
        args: ['-e', code],
        env: {},
        uid: slotUid(slot),
        groups: [],
        signal,
      },
      readOnlyPaths: [...codePaths(), dirname(engine.socketPath)],
      writableDir: null,
      limits: {
        memoryBytesMax: 2 ** 30,
        openFilesMax: 64,
        fileBytesMax: 0,
        processesMax: 32,
        cpuSecondsMax: 10,
      },
    });
    let text = '';
    for await (const part of child.stdout) text += part;
    return text.trim();
  };
  expect(await reach(proxySlot)).toBe('in');
  expect(await reach(strangerSlot)).toBe('EACCES');
});

function counters(): Promise<{ requests: number; promptTokens: number; generatedTokens: number }> {
  return new Promise((resolve, reject) => {
    const req = request({ socketPath: engine.socketPath, path: '/counters', agent: new Agent() }, (res) => {
      let text = '';
      res.on('data', (part) => {
        text += part;
      });
      res.once('end', () => resolve(JSON.parse(text)));
    });
    req.once('error', reject);
    req.end();
  });
}
