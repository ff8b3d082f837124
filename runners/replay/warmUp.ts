import { request } from 'node:http';
import { z } from 'zod';
import type { ModelSettings } from '../proxy/modelSettings.ts';
import { rebuildRequest } from '../proxy/rebuildRequest.ts';

/** An engine that loaded weights but can't serve a token with them. */
export class WarmUpFailed extends Error {
  constructor(what: string, cause?: unknown) {
    super(`the engine didn't serve a first token: ${what}`, { cause });
    this.name = 'WarmUpFailed';
  }
}

const answerBytesMax = 1024 * 1024;
const answer = z.object({ usage: z.object({ completion_tokens: z.int().min(1) }) });
const warmUpTokens = 4;

/**
 * Asks an engine for a few tokens, straight at its socket: no trial's, and counted nowhere.
 *
 * throws  WarmUpFailed when no token comes within `timeoutMs`.
 */
export async function warmUp(
  engineSocket: string,
  settings: ModelSettings,
  deps: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const asked = { messages: [{ role: 'user', content: '1 + 1 =' }], max_tokens: warmUpTokens };
  const bounded = { ...settings, outputTokensMax: Math.max(settings.outputTokensMax, warmUpTokens) };
  const rebuilt = rebuildRequest(asked, bounded, { trialSeed: 0, seed: 0 });
  if (rebuilt.kind === 'refused') throw new Error('the warm-up request breaks our own rules');
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(deps.timeoutMs)]);
  const reply = await post(engineSocket, JSON.stringify(rebuilt.request.body), signal).catch(
    (cause: unknown) => {
      deps.signal.throwIfAborted();
      throw new WarmUpFailed('no answer', cause);
    },
  );
  if (reply.status !== 200) throw new WarmUpFailed(`status ${reply.status}`);
  if (!answer.safeParse(parseJson(reply.text)).success) throw new WarmUpFailed('an answer without a token');
}

function post(socketPath: string, body: string, signal: AbortSignal) {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const sent = request({
      socketPath,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', 'x-request-id': 'warm-up' },
      agent: false,
      signal,
    });
    sent.once('error', reject);
    sent.once('response', async (response) => {
      try {
        let text = '';
        for await (const part of response.setEncoding('utf8')) {
          text += part;
          if (text.length > answerBytesMax) throw new RangeError('the answer is too long');
        }
        resolve({ status: response.statusCode ?? 0, text });
      } catch (error) {
        sent.destroy();
        reject(error);
      }
    });
    sent.end(body);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
