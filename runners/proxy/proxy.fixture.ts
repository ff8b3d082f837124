import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelSettings } from './modelSettings.ts';
import type { ProxyLimits } from './proxyProtocol.ts';
import type { ProxyStart } from './startProxy.ts';

/** A track whose template knows neither tools nor a thinking switch: the pocket season's. */
export const pocketModel: ModelSettings = {
  ...{ model: 'track', temperature: 0.6, topP: 1, topK: 0, minP: 0, presencePenalty: 0, frequencyPenalty: 0 },
  ...{
    repetitionPenalty: 1,
    outputTokensMax: 128,
    thinking: false,
    thinkingSwitch: false,
    reasoningEffort: null,
  },
  tools: false,
};

/** Bounds that no ordinary test reaches. */
export const roomyLimits: ProxyLimits = {
  ...{
    bodyBytesMax: 2 ** 20,
    pendingBytesMax: 2 ** 24,
    connectionsMax: 1_024,
    concurrencyMax: 8,
    waitingMax: 1_000,
  },
  ...{ requestTimeoutMs: 30_000, drainTimeoutMs: 5_000, answerBytesMax: 2 ** 20, contextTokensMax: 512 },
};

const made: string[] = [];

/** A short folder for one socket; removed when the test's process ends. */
export function socketDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'vtb-t-'));
  if (made.length === 0)
    process.once('exit', () => made.map((d) => rmSync(d, { recursive: true, force: true })));
  made.push(dir);
  return dir;
}

/** A start at level `process`, the same for root and others; tests of other levels override it. */
export function proxyStart(engineSocket: string, more: Partial<ProxyStart> = {}): ProxyStart {
  return {
    ...{ engineSocket, engineCancels: true, settings: pocketModel, limits: roomyLimits, listenPort: null },
    ...{ workDir: socketDir(), isolation: { level: 'process', uid: null, peerGid: null } as const },
    ...{ startTimeoutMs: 30_000, memoryBytesMax: 2 ** 30, signal: new AbortController().signal },
    ...more,
  };
}

/** What a recording engine got: raw bodies of completions, and which ids were cancelled. */
export type Recorded = { readonly bodies: string[]; readonly paths: string[]; readonly cancelled: string[] };

/** A real HTTP server on a unix socket that records everything it is sent and answers as `answer` says. */
export async function recordingEngine(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ readonly socketPath: string; readonly recorded: Recorded; readonly server: Server }> {
  const socketPath = join(socketDir(), 'e.sock');
  const recorded: Recorded = { bodies: [], paths: [], cancelled: [] };
  const server = createServer((req, res) => {
    recorded.paths.push(`${req.method} ${req.url}`);
    let body = '';
    req.on('data', (part) => {
      body += part;
    });
    req.on('end', () => {
      if (req.method === 'DELETE') {
        recorded.cancelled.push(String(req.url));
        res.writeHead(204).end();
        return;
      }
      recorded.bodies.push(body);
      answer(req, res, body);
    });
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return { socketPath, recorded, server };
}

/** An answer in OpenAI's shape with the counts 11, 2 and 7. */
export const plainAnswer = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 2 } },
});

/** Sends one request and reads its answer to the end. */
export function send(
  socketPath: string,
  input: {
    readonly body?: string;
    readonly token?: string;
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Record<string, string>;
  },
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const req = request({
      ...{ socketPath, method: input.method ?? 'POST', path: input.path ?? '/v1/chat/completions' },
      headers: {
        'content-type': 'application/json',
        ...(input.token === undefined ? {} : { authorization: `Bearer ${input.token}` }),
        ...input.headers,
      },
    });
    req.once('error', reject);
    req.once('response', (res) => {
      let body = '';
      res.on('data', (part) => {
        body += part;
      });
      res.once('end', () => resolve({ status: res.statusCode ?? 0, body }));
      res.once('error', reject);
    });
    req.end(input.body);
  });
}

/** Sends raw bytes and returns what came back until the other side closed. */
export function sendRaw(socketPath: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let answer = '';
    socket.on('data', (part) => {
      answer += part;
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
    socket.end(text);
  });
}

/** Sends a streamed request and breaks the connection at the first byte of the answer. */
export function sendAndLeave(
  socketPath: string,
  input: { readonly body: string; readonly token: string },
): Promise<number> {
  return new Promise((resolve) => {
    const req = request({
      ...{ socketPath, method: 'POST', path: '/v1/chat/completions' },
      headers: { authorization: `Bearer ${input.token}`, 'content-type': 'application/json' },
    });
    req.on('error', () => resolve(0));
    req.once('response', (res) => {
      res.on('error', () => {});
      res.once('data', () => {
        resolve(res.statusCode ?? 0);
        req.destroy();
      });
    });
    req.end(input.body);
  });
}
