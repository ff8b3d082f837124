import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineNamed } from '@vtb/runners/engines/registry.ts';
import { probeIsolation } from '@vtb/runners/isolation/probeIsolation.ts';
import { slotUid } from '@vtb/runners/isolation/slotUid.ts';
import { startProxy } from '@vtb/runners/proxy/startProxy.ts';

const concurrency = 4;
const requestsPerRound = 12;
const rounds = 4;
const outputTokens = 128;
const temperature = 0;
/** Longer sums than the model was taught: it goes on and on, so that answers are long, as in real tracks. */
const terms = 4;
const weightsPath = join(import.meta.dirname, '../../seasons/pocket/systems/tuned/weights/model.gguf');

/** One benchmark's result: `ratio` against `goal`, and what it was computed from. */
export type BenchResult = {
  readonly name: string;
  readonly ratio: number;
  readonly goal: number;
  readonly detail: Readonly<Record<string, number | string>>;
};

/**
 * Tokens per second through the model proxy against the engine alone: the same requests, not streamed, at most 128
 * tokens, four at a time, in alternating rounds (engine, proxy, engine, …) of one run, so that a busy neighbour
 * slows both. Each side's figure is its tokens over its time, all rounds together.
 */
export async function run(input = { weightsPath }): Promise<BenchResult> {
  const signal = AbortSignal.timeout(300_000);
  const { level } = await probeIsolation({ slot: 0 }, { signal });
  const hasUid = level === 'process+uid+netns';
  const [engineDir, proxyDir] = [
    mkdtempSync(join(tmpdir(), 'vtb-e-')),
    mkdtempSync(join(tmpdir(), 'vtb-p-')),
  ];
  const [engineUid, proxyUid] = hasUid ? [slotUid(1), slotUid(2)] : [null, null];
  const engine = await engineNamed('llama.cpp').start({
    weightsPath: input.weightsPath,
    weightsDigest: 'bench',
    workDir: engineDir,
    signal,
    isolation: { level, uid: engineUid, peerGid: proxyUid },
    settings: {
      template: 'chatml',
      contextTokensMax: 1024,
      outputTokensMax: outputTokens,
      concurrencyMax: concurrency,
      queueMax: 64,
      threads: 1,
      memoryBytesMax: 2 ** 31,
      loadTimeoutMs: 60_000,
    },
  });
  const proxy = await startProxy(
    {
      engineSocket: engine.socketPath,
      engineCancels: true,
      settings: {
        model: 'bench',
        temperature,
        topP: 1,
        topK: 0,
        minP: 0,
        presencePenalty: 0,
        frequencyPenalty: 0,
        repetitionPenalty: 1,
        outputTokensMax: outputTokens,
        thinking: false,
        thinkingSwitch: false,
        reasoningEffort: null,
        tools: false,
      },
      limits: {
        bodyBytesMax: 2 ** 20,
        pendingBytesMax: 2 ** 26,
        connectionsMax: 256,
        concurrencyMax: concurrency,
        waitingMax: 64,
        requestTimeoutMs: 60_000,
        drainTimeoutMs: 10_000,
        answerBytesMax: 2 ** 22,
        contextTokensMax: 2 ** 20,
      },
      listenPort: null,
      workDir: proxyDir,
      isolation: { level, uid: proxyUid, peerGid: null },
      startTimeoutMs: 30_000,
      memoryBytesMax: 2 ** 30,
      signal,
    },
    { onUsage: () => {} },
  );
  try {
    const token = 'bench-token-0123456789';
    await proxy.openTrial({
      trial: 'bench',
      token,
      seed: 0,
      turnsMax: 100_000,
      outputTokensMax: outputTokens,
    });
    const sides = {
      engine: { socketPath: engine.socketPath, body: engineBody, headers: {} },
      proxy: { socketPath: proxy.socketPath, body: proxyBody, headers: { authorization: `Bearer ${token}` } },
    };
    // One unmeasured round each: caches, connections and compiled code are there for both.
    await round(sides.engine, 0);
    await round(sides.proxy, 0);
    const total = { engine: { tokens: 0, ms: 0 }, proxy: { tokens: 0, ms: 0 } };
    for (let i = 1; i <= rounds; i += 1) {
      for (const side of ['engine', 'proxy'] as const) {
        const r = await round(sides[side], i);
        total[side].tokens += r.tokens;
        total[side].ms += r.ms;
      }
    }
    const rate = (side: 'engine' | 'proxy') => (total[side].tokens / total[side].ms) * 1000;
    return {
      name: 'proxy throughput',
      ratio: rate('proxy') / rate('engine'),
      goal: 0.95,
      detail: {
        tokensPerRequest: total.proxy.tokens / (rounds * requestsPerRound),
        engineTokensPerSecond: rate('engine'),
        proxyTokensPerSecond: rate('proxy'),
        concurrency,
        level,
      },
    };
  } finally {
    await proxy.stop();
    await engine.stop();
    for (const dir of [engineDir, proxyDir]) rmSync(dir, { recursive: true, force: true });
  }
}

type Side = {
  readonly socketPath: string;
  readonly body: (index: number) => unknown;
  readonly headers: Readonly<Record<string, string>>;
};

async function round(side: Side, index: number): Promise<{ readonly tokens: number; readonly ms: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const startedMs = performance.now();
  let next = 0;
  let tokens = 0;
  const worker = async () => {
    while (next < requestsPerRound) {
      const number = next;
      next += 1;
      tokens += await post(side, agent, side.body(index * requestsPerRound + number));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  agent.destroy();
  return { tokens, ms: performance.now() - startedMs };
}

function message(index: number) {
  const gifts = Array.from({ length: terms }, (_, i) => `got ${3 + i + (index % 12)}`).join(', ');
  const content = `Tom had ${2 + (index % 12)}, ${gifts}. How many?`;
  return [{ role: 'user', content }];
}

function proxyBody(index: number) {
  return { messages: message(index), max_tokens: outputTokens };
}

function engineBody(index: number) {
  return {
    model: 'bench',
    messages: message(index),
    temperature,
    top_p: 1,
    top_k: 0,
    min_p: 0,
    presence_penalty: 0,
    frequency_penalty: 0,
    repetition_penalty: 1,
    seed: index,
    n: 1,
    max_tokens: outputTokens,
    stream: false,
  };
}

function post(side: Side, agent: Agent, body: unknown): Promise<number> {
  return new Promise((resolve, reject) => {
    const payload = JSON.stringify(body);
    const req = request(
      {
        socketPath: side.socketPath,
        agent,
        method: 'POST',
        path: '/v1/chat/completions',
        headers: {
          ...side.headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
        },
      },
      (res) => {
        let text = '';
        res.on('data', (part) => {
          text += part;
        });
        res.on('end', () => {
          if (res.statusCode !== 200) reject(new Error(`${res.statusCode} ${text}`));
          else
            resolve((JSON.parse(text) as { usage: { completion_tokens: number } }).usage.completion_tokens);
        });
      },
    );
    req.on('error', reject);
    req.end(payload);
  });
}
