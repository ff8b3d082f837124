import { request } from 'node:http';
import { z } from 'zod';
import { eventSplitter } from '../proxy/eventSplitter.ts';

/** What came of one streamed request, also when it was cut off: the text until then. */
export type ModelAnswer = {
  /** 0 when there was no answer at all. */
  readonly status: number;
  readonly output: string;
  /** null where the engine parses no reasoning out. */
  readonly reasoning: string | null;
  /** Whether the stream came to its own end. */
  readonly isWhole: boolean;
};

const chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }),
      }),
    )
    .max(1),
});

const eventBytesMax = 1024 * 1024;

/**
 * Sends one chat completion as a harness would, and reads its stream.
 *
 * body           without `stream`, which is always set: a timed-out answer is worth what had come
 * textCharsMax   of output and reasoning each; what is longer loses its beginning, because answers stand at the end
 * signal, deadline  either ends the request; what had come until then is the result, as with a broken connection
 */
export async function askModel(
  input: {
    readonly socketPath: string;
    readonly token: string;
    readonly body: Readonly<Record<string, unknown>>;
    readonly textCharsMax: number;
  },
  { signal, deadline }: { readonly signal: AbortSignal; readonly deadline: AbortSignal },
): Promise<ModelAnswer> {
  const payload = Buffer.from(JSON.stringify({ ...input.body, stream: true }));
  const texts = { output: '', reasoning: null as string | null };
  const add = (data: string) => {
    const delta = chunk.safeParse(parseJson(data)).data?.choices[0]?.delta;
    if (delta === undefined) return;
    texts.output = endOf(texts.output + (delta.content ?? ''), input.textCharsMax);
    if (delta.reasoning_content != null)
      texts.reasoning = endOf((texts.reasoning ?? '') + delta.reasoning_content, input.textCharsMax);
  };
  const end = await new Promise<{ status: number; isWhole: boolean }>((resolve) => {
    const sent = request({
      socketPath: input.socketPath,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: {
        authorization: `Bearer ${input.token}`,
        'content-type': 'application/json',
        'content-length': payload.length,
      },
      // A kept connection could be closed by the other side just as it is used again.
      agent: false,
      signal: AbortSignal.any([signal, deadline]),
    });
    sent.once('error', () => resolve({ status: 0, isWhole: false }));
    sent.once('response', async (response) => {
      const status = response.statusCode ?? 0;
      try {
        const splitter = eventSplitter(eventBytesMax);
        let isWhole = false;
        for await (const part of response as AsyncIterable<Buffer>) {
          for (const data of splitter.push(part)) {
            if (data === '[DONE]') isWhole = true;
            else add(data);
          }
        }
        resolve({ status, isWhole });
      } catch {
        sent.destroy();
        resolve({ status, isWhole: false });
      }
    });
    sent.end(payload);
  });
  return {
    ...end,
    output: texts.output.toWellFormed(),
    reasoning: texts.reasoning === null ? null : texts.reasoning.toWellFormed(),
  };
}

function endOf(text: string, charsMax: number): string {
  return text.length > charsMax ? text.slice(-charsMax) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
