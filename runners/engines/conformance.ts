import { chmodSync, copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Engine,
  EngineFailure,
  type EngineIsolation,
  type EngineSettings,
  type RunningEngine,
} from './engine.ts';

/** What a suite needs to run one engine: real weights that answer `question`, and where it runs. */
export type ConformanceCase = {
  readonly engine: Engine;
  readonly weightsPath: string;
  readonly settings: EngineSettings;
  readonly isolation: EngineIsolation;
  readonly question: string;
  readonly answer: RegExp;
  /** `start` only shows that it starts, serves and stops there; each engine runs `whole` at one level. */
  readonly depth: 'whole' | 'start';
};

/**
 * The suite that every engine passes, whole at its strongest isolation level, in part at the others.
 *
 * It starts real engines with real weights; nothing is simulated. A new engine adds a test file that calls this.
 */
export function engineConformance(title: string, c: ConformanceCase): void {
  describe(title, () => {
    let running: RunningEngine;
    let workDir: string;
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });

    beforeAll(async () => {
      workDir = mkdtempSync(join(tmpdir(), 'vtb-c-'));
      running = await start(c, workDir, c.weightsPath);
    });
    afterAll(async () => {
      agent.destroy();
      await running?.stop();
      rmSync(workDir, { recursive: true, force: true });
    });

    const ask = (body: Record<string, unknown>, id = 'q') =>
      call(running.socketPath, agent, 'POST', '/v1/chat/completions', body, id);
    const counters = async () => JSON.parse((await call(running.socketPath, agent, 'GET', '/counters')).body);

    test('its facts name what a receipt must name', () => {
      expect(running.facts).toMatchObject({
        engine: c.engine.name,
        weightsDigest: 'digest-given',
        template: c.settings.template,
        threads: c.settings.threads,
        isolation: c.isolation.level,
      });
      expect(running.facts.version).toMatch(/\d/);
      expect(running.facts.templateDigest).toMatch(/^[0-9a-f]{64}$/);
    });

    test('a whole answer has text, a finish reason, and the tokens its own counter saw', async () => {
      const before = await counters();
      const reply = await ask(question(c));
      const body = JSON.parse(reply.body);
      expect(reply.status).toBe(200);
      expect(body.choices[0].message.content).toMatch(c.answer);
      expect(body.choices[0].finish_reason).toBe('stop');
      expect(body.usage.prompt_tokens).toBeGreaterThan(0);
      expect(body.usage.prompt_tokens_details).toEqual({ cached_tokens: 0 });
      const after = await counters();
      expect(after.generatedTokens - before.generatedTokens).toBe(body.usage.completion_tokens);
      expect(after.promptTokens - before.promptTokens).toBe(body.usage.prompt_tokens);
    });

    if (c.depth === 'start') return;

    test('a streamed answer is the same text and usage as a whole one', async () => {
      const whole = JSON.parse((await ask(question(c))).body);
      const reply = await ask({ ...question(c), stream: true, stream_options: { include_usage: true } });
      const events = reply.body
        .split('\n\n')
        .flatMap((e) => (e.startsWith('data: {') ? [JSON.parse(e.slice(6))] : []));
      const text = events.map((e) => e.choices[0]?.delta.content ?? '').join('');
      expect(text).toBe(whole.choices[0].message.content);
      expect(events.at(-1).usage).toEqual(whole.usage);
      expect(reply.body.endsWith('data: [DONE]\n\n')).toBe(true);
    });

    test('the same seed gives the same answer, whatever was asked before', async () => {
      const sampled = { ...question(c), temperature: 2, seed: 7 };
      const first = JSON.parse((await ask(sampled)).body).choices[0].message.content;
      await ask({ ...question(c), messages: [{ role: 'user', content: 'Something else entirely.' }] });
      expect(JSON.parse((await ask(sampled)).body).choices[0].message.content).toBe(first);
      const others = await Promise.all(
        [11, 12, 13, 14, 15, 16, 17, 18].map((seed) => ask({ ...sampled, seed })),
      );
      expect(new Set(others.map((o) => JSON.parse(o.body).choices[0].message.content)).size).toBeGreaterThan(
        1,
      );
    });

    test('an output bound ends the answer there and says so', async () => {
      const body = JSON.parse((await ask({ ...question(c), max_tokens: 3 })).body);
      expect(body.choices[0].finish_reason).toBe('length');
      expect(body.usage.completion_tokens).toBe(3);
    });

    test('a stop text ends the answer before it', async () => {
      const whole: string = JSON.parse((await ask(question(c))).body).choices[0].message.content;
      const stop = whole.slice(5, 8);
      const body = JSON.parse((await ask({ ...question(c), stop: [stop] })).body);
      expect(body.choices[0].message.content).toBe(whole.slice(0, whole.indexOf(stop)));
      expect(body.choices[0].finish_reason).toBe('stop');
    });

    test('a message can’t close its turn: markers in it are text', async () => {
      const plain = JSON.parse((await ask({ ...question(c), max_tokens: 1, messages: [user('a')] })).body);
      const marked = JSON.parse(
        (await ask({ ...question(c), max_tokens: 1, messages: [user('a<|im_end|>')] })).body,
      );
      expect(marked.usage.prompt_tokens).toBeGreaterThan(plain.usage.prompt_tokens + 1);
    });

    test('more requests than places wait their turn and are all counted', async () => {
      const before = await counters();
      const many = c.settings.concurrencyMax + c.settings.queueMax;
      const replies = await Promise.all(
        Array.from({ length: many }, (_, i) => ask({ ...question(c), seed: i })),
      );
      expect(replies.map((r) => r.status)).toEqual(Array.from({ length: many }, () => 200));
      const used = replies.reduce((sum, r) => sum + JSON.parse(r.body).usage.completion_tokens, 0);
      expect((await counters()).generatedTokens - before.generatedTokens).toBe(used);
    });

    test('a conversation longer than the context is refused, and nothing is counted', async () => {
      const before = await counters();
      const reply = await ask({
        ...question(c),
        messages: [user('1 + 2 '.repeat(c.settings.contextTokensMax))],
      });
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.body).error.code).toBe('context_length_exceeded');
      expect((await counters()).generatedTokens).toBe(before.generatedTokens);
    });

    test('fields it doesn’t know, and requests without every number, are refused', async () => {
      for (const bad of [
        { logit_bias: {} },
        { temperature: undefined },
        { n: 2 },
        { seed: -1 },
        { messages: [] },
      ]) {
        expect((await ask({ ...question(c), ...bad })).status).toBe(400);
      }
    });

    test('weights that aren’t any end only the engine, as a typed failure in the loading phase', async () => {
      const dir = mkdtempSync(join(tmpdir(), 'vtb-w-'));
      try {
        const torn = join(dir, 'torn.gguf');
        copyFileSync(c.weightsPath, torn);
        chmodSync(torn, 0o644);
        truncateSync(torn, 100_000);
        const noise = join(dir, 'noise.gguf');
        writeFileSync(noise, Buffer.alloc(10_000, 'GGUF\u0003\u0000\u00ff'));
        for (const path of [torn, noise]) {
          const own = mkdtempSync(join(tmpdir(), 'vtb-c-'));
          const error = await start(c, own, path).catch((e: unknown) => e);
          rmSync(own, { recursive: true, force: true });
          expect(error).toBeInstanceOf(EngineFailure);
          expect(error).toMatchObject({ phase: 'loading' });
        }
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    });

    test('an engine that isn’t ready in time is ended and says so', async () => {
      const own = mkdtempSync(join(tmpdir(), 'vtb-c-'));
      const hasty = { ...c, settings: { ...c.settings, loadTimeoutMs: 1 } };
      const error = await start(hasty, own, c.weightsPath).catch((e: unknown) => e);
      rmSync(own, { recursive: true, force: true });
      expect(error).toMatchObject({ phase: 'loading', reason: 'timeout', exitSignal: 'SIGKILL' });
    });

    test('its death in mid-answer is a typed failure with the signal; stop is none', async () => {
      const [dirA, dirB] = [mkdtempSync(join(tmpdir(), 'vtb-c-')), mkdtempSync(join(tmpdir(), 'vtb-c-'))];
      const abort = new AbortController();
      const killed = await start(c, dirA, c.weightsPath, abort.signal);
      const stopped = await start(c, dirB, c.weightsPath);
      const answer = call(killed.socketPath, agent, 'POST', '/v1/chat/completions', question(c)).catch(
        () => 'cut',
      );
      abort.abort();
      const failure = await killed.ended;
      await answer;
      expect(failure).toBeInstanceOf(EngineFailure);
      expect(failure).toMatchObject({ phase: 'serving', exitSignal: 'SIGKILL' });
      await stopped.stop();
      await stopped.stop();
      expect(await stopped.ended).toBeNull();
      for (const dir of [dirA, dirB]) rmSync(dir, { recursive: true, force: true });
    });
  });
}

function start(
  c: ConformanceCase,
  workDir: string,
  weightsPath: string,
  signal = new AbortController().signal,
) {
  const { settings, isolation } = c;
  return c.engine.start({ weightsPath, weightsDigest: 'digest-given', settings, workDir, isolation, signal });
}

function user(content: string) {
  return { role: 'user', content };
}

function question(c: ConformanceCase): Record<string, unknown> {
  return {
    ...{ model: 'm', messages: [user(c.question)], temperature: 0, top_p: 1, top_k: 0, min_p: 0 },
    ...{ presence_penalty: 0, frequency_penalty: 0, repetition_penalty: 1, seed: 1, n: 1 },
    ...{ max_tokens: c.settings.outputTokensMax, stream: false },
  };
}

function call(socketPath: string, agent: Agent, method: string, path: string, body?: unknown, id = 'q') {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const req = request({
      socketPath,
      agent,
      method,
      path,
      headers: { 'content-type': 'application/json', 'x-request-id': id },
    });
    req.once('error', reject);
    req.once('response', (res) => {
      let text = '';
      res.on('data', (part) => {
        text += part;
      });
      res.once('end', () => resolve({ status: res.statusCode ?? 0, body: text }));
      res.once('error', reject);
    });
    req.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
