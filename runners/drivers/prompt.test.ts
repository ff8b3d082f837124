import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { deskBodyBytesMax, putOutcomeSchema } from '@vtb/protocol/wire/desk.ts';
import { loadSeason } from '@vtb/seasons/load.ts';
import { afterEach, expect, test } from 'vitest';
import { proxyStart, recordingEngine, roomyLimits } from '../proxy/proxy.fixture.ts';
import { startProxy } from '../proxy/startProxy.ts';
import { usageBook } from '../replay/usageBook.ts';
import type { DriverEnd } from './driver.ts';
import { promptDriver } from './prompt.ts';

const { season } = await loadSeason(join(import.meta.dirname, '../../seasons/pocket'));
const [track] = season.tracks;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Works one trial through a real proxy, with an engine that answers as it is told. */
async function drive(
  answer: Answer,
  more: {
    readonly signal?: AbortSignal;
    readonly requestTimeoutMs?: number;
    readonly answerBytesMax?: number;
  } = {},
): Promise<{ readonly end: DriverEnd; readonly bodies: readonly string[] }> {
  if (track === undefined) throw new Error('the pocket season has a track');
  const engine = await recordingEngine(answer);
  const usage = usageBook();
  const { requestTimeoutMs = 20_000, answerBytesMax = roomyLimits.answerBytesMax } = more;
  const limits = { ...roomyLimits, requestTimeoutMs, answerBytesMax, drainTimeoutMs: 300 };
  const proxy = await startProxy(proxyStart(engine.socketPath, { limits }), { onUsage: usage.add });
  closers.push(
    () => proxy.stop(),
    async () => engine.server.closeAllConnections(),
    async () => engine.server.close(),
  );
  const end = await promptDriver.work(
    {
      name: 'a trial',
      seed: 77,
      task: { driver: 'prompt', problem: 'How much is 1 + $&?' },
      track,
    },
    {
      proxy,
      takeUsage: usage.take,
      newToken: () => 'a-token-of-one-trial-0123456789',
      wallClockMs: 30_000,
      signal: more.signal ?? new AbortController().signal,
    },
  );
  return { end, bodies: engine.recorded.bodies };
}

const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const text = (content: string, finish: string | null = null) =>
  event({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
const counts = event({
  choices: [],
  usage: { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 2 } },
});
const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
const usage = { promptTokens: 11, cachedTokens: 2, generatedTokens: 7 };

for (const how of ['stop', 'length'] as const) {
  test(`an answer that ends by ${how} is one, with the proxy's counts`, async () => {
    const { end, bodies } = await drive((_, response) => {
      stream(response).end(text('so \\boxed{') + text('3}') + text('', how) + counts + event('[DONE]'));
    });
    expect(end).toMatchObject({
      kind: 'outcome',
      outcome: { kind: 'answered', end: how, output: 'so \\boxed{3}', reasoning: null, usage },
    });
    expect(bodies).toHaveLength(1);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      messages: [{ role: 'user', content: expect.stringContaining('How much is 1 + $&?\nPlease reason') }],
      temperature: 0.6,
      seed: 77,
    });
  });
}

test('an answer that hangs has timed out, and what had come is kept', async () => {
  const { end } = await drive((_, response) => stream(response).write(text('half of it')), {
    requestTimeoutMs: 500,
  });
  expect(end).toMatchObject({
    outcome: { kind: 'answered', end: 'timeout', output: 'half of it', usage: { generatedTokens: null } },
  });
});

test('an engine that breaks before, in or at the end of an answer is told apart from an answer', async () => {
  const broken: readonly Answer[] = [
    (_, response) => response.writeHead(500).end('{}'),
    (request) => request.socket.destroy(),
    (request, response) => stream(response).write(text('half'), () => request.socket.destroy()),
    (_, response) => stream(response).end(text('half') + event({ error: {} }) + event('[DONE]')),
  ];
  for (const answer of broken) {
    const { end } = await drive(answer);
    expect(end).toMatchObject({ kind: 'engineFailed', usage: { generatedTokens: null } });
  }
});

test('an engine can’t call its failure ours: by refusing the conversation, or by an event without end', async () => {
  const hostile: readonly Answer[] = [
    (_, response) => response.writeHead(400).end('{"error":{}}'),
    (_, response) => void stream(response).write(text('x'.repeat(1024 * 1024 + 1))),
  ];
  for (const answer of hostile) expect(await drive(answer)).toMatchObject({ end: { kind: 'engineFailed' } });
});

test('an answer of any characters fits the desk’s body, and keeps its end', async () => {
  for (const [character, escaped] of [
    ['漢', '漢'],
    ['\0', '\\u0000'],
  ] as const) {
    const { end } = await drive(
      (_, response) => {
        const delta = { content: character.repeat(50_000), reasoning_content: character.repeat(50_000) };
        const part = event({ choices: [{ index: 0, delta, finish_reason: null }] });
        stream(response).end(part.repeat(40) + text('\\boxed{3}', 'stop') + counts + event('[DONE]'));
      },
      { answerBytesMax: 2 ** 26 },
    );
    if (end.kind !== 'outcome' || end.outcome.kind !== 'answered') throw new Error(JSON.stringify(end));
    const body = JSON.stringify(putOutcomeSchema.parse({ fencing: 2 ** 40, outcome: end.outcome }));
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(deskBodyBytesMax);
    expect(Buffer.byteLength(body)).toBeGreaterThan(deskBodyBytesMax * 0.95);
    expect(body).toContain(`${escaped}\\\\boxed{3}"`);
  }
});

test('half a character of a hostile engine reaches the desk as a whole one', async () => {
  const { end } = await drive((_, response) => {
    const lone = 'data: {"choices":[{"delta":{"content":"\\ud800"},"finish_reason":null}]}\n\n';
    stream(response).end(lone + text('', 'stop') + counts + event('[DONE]'));
  });
  expect(end).toMatchObject({ outcome: { output: '\ufffd' } });
});

test('a trial that is lost ends at once, and the engine is told to stop', async () => {
  const lost = new AbortController();
  const worked = drive(
    (_, response) => {
      stream(response).write(text('half'), () => lost.abort(new Error('lost')));
    },
    { signal: lost.signal },
  );
  await expect(worked).rejects.toThrow('lost');
});
