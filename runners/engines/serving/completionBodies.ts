import type { FinishReason, GenerationEnd, GenerationUsage } from './generator.ts';

/** The body of a whole answer, in OpenAI's shape. `created` is 0: an answer carries no clock. */
export function completionBody(input: {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly end: GenerationEnd;
}) {
  return {
    id: `chatcmpl-${input.id}`,
    object: 'chat.completion',
    created: 0,
    model: input.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: input.text },
        logprobs: null,
        finish_reason: input.end.finish,
      },
    ],
    usage: usageBody(input.end.usage),
  };
}

/** One event of a streamed answer. */
export function completionChunk(input: {
  readonly id: string;
  readonly model: string;
  readonly delta: { readonly role?: 'assistant'; readonly content?: string };
  readonly finish: FinishReason | null;
}) {
  return {
    id: `chatcmpl-${input.id}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: input.model,
    choices: [{ index: 0, delta: input.delta, logprobs: null, finish_reason: input.finish }],
  };
}

/** Usage in OpenAI's shape. */
export function usageBody(usage: GenerationUsage) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.generatedTokens,
    total_tokens: usage.promptTokens + usage.generatedTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
  };
}
