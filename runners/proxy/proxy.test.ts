import { afterEach, expect, test } from 'vitest';
import { plainAnswer, proxyStart, recordingEngine, roomyLimits, send, sendRaw } from './proxy.fixture.ts';
import type { UsageRecord } from './proxyProtocol.ts';
import { ProxyFailure, type ProxyStart, type RunningProxy, startProxy } from './startProxy.ts';

const token = 'token-of-one-trial-0123456789';
const hello = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] });
const cleanUps: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type Answer = Parameters<typeof recordingEngine>[0];

async function set(
  answer: Answer = (_, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer),
  more: Partial<ProxyStart> = {},
) {
  const engine = await recordingEngine(answer);
  cleanUps.push(() => engine.server.close());
  cleanUps.push(() => engine.server.closeAllConnections());
  const usages: UsageRecord[] = [];
  const proxy = await startProxy(proxyStart(engine.socketPath, more), { onUsage: (u) => usages.push(u) });
  cleanUps.push(() => proxy.stop());
  return { engine, proxy, usages };
}

function open(
  proxy: RunningProxy,
  more: { trial?: string; token?: string; turnsMax?: number; outputTokensMax?: number } = {},
) {
  return proxy.openTrial({
    trial: 'a',
    token,
    seed: 2 ** 32 - 1,
    turnsMax: 10,
    outputTokensMax: 128,
    ...more,
  });
}

test('a request reaches the engine rebuilt, with each turn’s own seed, and is recorded once', async () => {
  const { engine, proxy, usages } = await set();
  await open(proxy);
  for (const _ of [0, 1])
    expect((await send(proxy.socketPath, { token, body: hello })).body).toBe(plainAnswer);
  expect(engine.recorded.bodies.map((b) => JSON.parse(b))).toMatchObject([
    { seed: 2 ** 32 - 1, max_tokens: 128 },
    { seed: 0 },
  ]);
  const counts = {
    promptTokens: 11,
    cachedTokens: 2,
    generatedTokens: 7,
    outcome: 'answered',
    finish: 'stop',
  };
  const totals = await proxy.closeTrial('a');
  expect(usages).toMatchObject([
    { trial: 'a', turn: 0, ...counts },
    { trial: 'a', turn: 1, ...counts },
  ]);
  expect(totals).toEqual({
    ...{ trial: 'a', turns: 2, refusals: 0, promptTokens: 22, cachedTokens: 4, generatedTokens: 14 },
  });
});

test('what is refused names every problem, costs no turn and never reaches the engine', async () => {
  const { engine, proxy, usages } = await set();
  await open(proxy, { turnsMax: 1 });
  const bad =
    '{"messages":[{"role":"user","content":"a","content":"b"}],"temperature":0,"logit_bias":{},"seed":1,"seed":2}';
  const reply = await send(proxy.socketPath, { token, body: bad });
  const { error } = JSON.parse(reply.body);
  expect(reply.status).toBe(400);
  expect(error.problems.map((p: { field: string }) => p.field).sort()).toEqual([
    ...['logit_bias', 'messages[0].content', 'seed', 'seed', 'temperature'],
  ]);
  expect(error).toMatchObject({ type: 'invalid_request_error', code: 'request_refused' });
  for (const body of ['', '{', 'null', '\u0000', '{"messages":[]}']) {
    expect((await send(proxy.socketPath, { token, body })).status).toBe(400);
  }
  expect(engine.recorded.bodies).toEqual([]);
  expect(usages).toEqual([]);
  expect((await send(proxy.socketPath, { token, body: hello })).status).toBe(200);
  expect(await proxy.closeTrial('a')).toMatchObject({ turns: 1, refusals: 6 });
});

test('only two paths exist, compared as they came', async () => {
  const { engine, proxy } = await set();
  await open(proxy);
  const others = [
    ...[
      '/v1/completions',
      '/v1/../tokenize',
      '/tokenize',
      '/v1/chat/completions/',
      '/v1/chat/completions?x=1',
      '//v1/models',
    ],
    ...[
      '/V1/chat/completions',
      '/v1/chat%2fcompletions',
      '/metrics',
      '/health',
      '/v1/embeddings',
      '/',
      '/v1/requests/r1',
    ],
  ];
  for (const path of others)
    expect((await send(proxy.socketPath, { token, path, body: hello })).status).toBe(404);
  expect((await send(proxy.socketPath, { token, method: 'DELETE', path: '/v1/requests/r1' })).status).toBe(
    404,
  );
  const models = await send(proxy.socketPath, { token, method: 'GET', path: '/v1/models' });
  expect(JSON.parse(models.body).data).toMatchObject([{ id: 'track' }]);
  expect(engine.recorded.paths).toEqual([]);
});

test('no token, another’s, and a closed trial’s are refused', async () => {
  const { proxy, engine } = await set();
  await open(proxy);
  expect((await send(proxy.socketPath, { body: hello })).status).toBe(401);
  expect((await send(proxy.socketPath, { body: hello, token: `${token}x` })).status).toBe(401);
  await proxy.closeTrial('a');
  expect((await send(proxy.socketPath, { body: hello, token })).status).toBe(401);
  expect(engine.recorded.bodies).toEqual([]);
});

test('a smuggled second request is refused: content-length beside chunks', async () => {
  const { proxy, engine } = await set();
  await open(proxy);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  const smuggled = `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\n\r\n`;
  expect(await sendRaw(proxy.socketPath, smuggled)).toMatch(/^HTTP\/1\.1 400/);
  const twice = `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`;
  expect(await sendRaw(proxy.socketPath, twice)).toMatch(/^HTTP\/1\.1 400/);
  expect(engine.recorded.paths).toEqual([]);
});

test('a body over the bound is refused before it is read, declared or not', async () => {
  const { proxy, engine } = await set();
  await open(proxy);
  const huge = 64 * 2 ** 20;
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  expect(await sendRaw(proxy.socketPath, `${head}Content-Length: ${huge}\r\n\r\n{`)).toMatch(
    /^HTTP\/1\.1 413/,
  );
  const chunk = 'x'.repeat(2 ** 20 + 1);
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  expect(await sendRaw(proxy.socketPath, chunked)).toMatch(/^HTTP\/1\.1 413/);
  expect(
    (await send(proxy.socketPath, { token, body: hello, headers: { 'content-encoding': 'gzip' } })).status,
  ).toBe(415);
  expect(engine.recorded.bodies).toEqual([]);
});

test('of many simultaneous requests exactly the limit is admitted', async () => {
  const { proxy, engine, usages } = await set();
  await open(proxy, { turnsMax: 40 });
  const replies = await Promise.all(
    Array.from({ length: 90 }, () => send(proxy.socketPath, { token, body: hello })),
  );
  expect(replies.filter((r) => r.status === 200)).toHaveLength(40);
  expect(replies.filter((r) => r.status === 403)).toHaveLength(50);
  expect(engine.recorded.bodies).toHaveLength(40);
  await proxy.closeTrial('a');
  expect(new Set(usages.map((u) => u.turn)).size).toBe(40);
});

test('a full line is answered 429 and costs no turn', async () => {
  const held: (() => void)[] = [];
  const { proxy } = await set(
    (_, res) => held.push(() => res.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer)),
    {
      limits: { ...roomyLimits, concurrencyMax: 1, waitingMax: 1 },
    },
  );
  await open(proxy);
  const replies = Array.from({ length: 3 }, () => send(proxy.socketPath, { token, body: hello }));
  expect((await Promise.race(replies)).status).toBe(429);
  const release = setInterval(() => held.shift()?.(), 5);
  const all = (await Promise.all(replies)).map((r) => r.status).sort();
  clearInterval(release);
  expect(all).toEqual([200, 200, 429]);
  expect(await proxy.closeTrial('a')).toMatchObject({ turns: 2 });
});

test('an engine that breaks off is recorded as failed with unknown counts, never 0', async () => {
  const { proxy, usages } = await set((_, res) => res.destroy());
  await open(proxy);
  expect((await send(proxy.socketPath, { token, body: hello })).status).toBe(502);
  expect(await proxy.closeTrial('a')).toMatchObject({ turns: 1, generatedTokens: null });
  expect(usages).toMatchObject([
    { outcome: 'failed', generatedTokens: null, promptTokens: null, cachedTokens: null },
  ]);
});

test('an engine that fails in mid-stream is recorded as failed, with the counts it still gave', async () => {
  const failed =
    '{"error":{"message":"generation failed"},"usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}}';
  const stream = `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: ${failed}\n\n`;
  const { proxy, usages } = await set((_, res) =>
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream),
  );
  await open(proxy);
  const body = JSON.stringify({ ...JSON.parse(hello), stream: true });
  expect((await send(proxy.socketPath, { token, body })).body).toBe(stream);
  await proxy.closeTrial('a');
  expect(usages).toMatchObject([{ outcome: 'failed', generatedTokens: 2, promptTokens: 3 }]);
});

test('counts that neither request nor context allows are unknown, and the engine is broken', async () => {
  const counted = [
    [512, 100, 512],
    [513, 1, 0],
    [1, 101, 0],
    [1, 1, 2],
    [2 ** 50, 2 ** 50, 0],
  ] as const;
  const left = [...counted];
  const { proxy, usages } = await set((_, res) => {
    const [prompt_tokens, completion_tokens, cached_tokens] = left.shift() ?? [];
    const usage = { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } };
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...JSON.parse(plainAnswer), usage }));
  });
  await open(proxy);
  const body = JSON.stringify({ ...JSON.parse(hello), max_tokens: 100 });
  for (const _ of counted) await send(proxy.socketPath, { token, body });
  await proxy.closeTrial('a');
  expect(usages).toMatchObject([
    { outcome: 'answered', promptTokens: 512, cachedTokens: 512, generatedTokens: 100 },
    ...counted
      .slice(1)
      .map(() => ({ outcome: 'failed', promptTokens: null, cachedTokens: null, generatedTokens: null })),
  ]);
});

test('an engine that never answers is cancelled at the time bound', async () => {
  const { proxy, usages, engine } = await set(() => {}, {
    limits: { ...roomyLimits, requestTimeoutMs: 200, drainTimeoutMs: 300 },
  });
  await open(proxy);
  expect((await send(proxy.socketPath, { token, body: hello })).status).toBe(504);
  await proxy.closeTrial('a');
  expect(usages).toMatchObject([{ outcome: 'timeout', generatedTokens: null }]);
  expect(engine.recorded.cancelled).toContain('/v1/requests/r1');
});

test('a stream is passed on event by event; its usage is shown only to who asked', async () => {
  const events = [
    '{"choices":[{"index":0,"delta":{"content":"a \\"usage\\" b"}}]}',
    '{"choices":[{"delta":{},"finish_reason":"length"}]}',
  ];
  const usage =
    '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":0}}}';
  const whole = [...events, usage, '[DONE]'].map((e) => `data: ${e}\n\n`).join('');
  const { proxy, usages } = await set((_, res) =>
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end(whole),
  );
  await open(proxy);
  const stream = { ...JSON.parse(hello), stream: true };
  const shown = await send(proxy.socketPath, {
    token,
    body: JSON.stringify({ ...stream, stream_options: { include_usage: true } }),
  });
  expect(shown.body).toBe(whole);
  const plain = await send(proxy.socketPath, { token, body: JSON.stringify(stream) });
  expect(plain.body).toBe(whole.replace(`data: ${usage}\n\n`, ''));
  const counts = {
    generatedTokens: 4,
    promptTokens: 3,
    cachedTokens: 0,
    finish: 'length',
    outcome: 'answered',
  };
  await proxy.closeTrial('a');
  expect(usages).toMatchObject([counts, counts]);
});

test('the death of a proxy is a typed failure; other proxies go on', async () => {
  const abort = new AbortController();
  const { proxy: other } = await set();
  const { proxy } = await set(undefined, { signal: abort.signal });
  await open(proxy);
  await open(other);
  abort.abort();
  expect(await proxy.ended).toBeInstanceOf(ProxyFailure);
  await expect(proxy.closeTrial('a')).rejects.toBeInstanceOf(ProxyFailure);
  expect((await send(other.socketPath, { token, body: hello })).status).toBe(200);
  await other.stop();
  expect(await other.ended).toBeNull();
});

test('a proxy with a wrong configuration fails at its start', async () => {
  const broken = proxyStart('/tmp', { isolation: { level: 'process', uid: null, peerGid: null } });
  const start = { ...broken, settings: { ...broken.settings, model: '' } };
  await expect(startProxy(start, { onUsage: () => {} })).rejects.toBeInstanceOf(ProxyFailure);
});
