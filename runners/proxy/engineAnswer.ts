import { z } from 'zod';
import type { UsageRecord } from './proxyProtocol.ts';

/** The counts in an engine's answer; null where it says nothing. */
export type EngineCounts = Pick<UsageRecord, 'promptTokens' | 'cachedTokens' | 'generatedTokens' | 'finish'>;

/** Nothing is known yet. */
export const unknownCounts: EngineCounts = {
  promptTokens: null,
  cachedTokens: null,
  generatedTokens: null,
  finish: null,
};

const count = z.int().min(0).nullish();
const answer = z.object({
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
    })
    .nullish(),
  choices: z.array(z.object({ finish_reason: z.string().max(40).nullish() })).nullish(),
});

/**
 * Adds what one JSON text of the engine (a whole answer, or one event of a stream) says to what is known.
 * Counts are the engine's last word; a later event replaces an earlier one.
 */
export function addCounts(known: EngineCounts, text: string): EngineCounts {
  const parsed = answer.safeParse(parseJson(text));
  if (!parsed.success) return known;
  const { usage, choices } = parsed.data;
  const finish = choices?.[0]?.finish_reason ?? known.finish;
  if (!usage) return { ...known, finish };
  return {
    promptTokens: usage.prompt_tokens ?? null,
    // An engine with prefix caching off reports no details: then nothing was cached only if it says so.
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? null,
    generatedTokens: usage.completion_tokens ?? null,
    finish,
  };
}

/**
 * Whether an engine's counts can be true of its request; unknown ones can. Hostile weights may count anything, and an
 * answer with impossible counts is that of a broken engine.
 *
 * generatedTokensMax  the request's `max_tokens`
 */
export function countsArePossible(
  counts: EngineCounts,
  bounds: { readonly promptTokensMax: number; readonly generatedTokensMax: number },
): boolean {
  const promptTokens = counts.promptTokens ?? 0;
  return (
    promptTokens <= bounds.promptTokensMax &&
    (counts.cachedTokens ?? 0) <= (counts.promptTokens ?? bounds.promptTokensMax) &&
    (counts.generatedTokens ?? 0) <= bounds.generatedTokensMax
  );
}

/** True for a stream's event that carries usage and no text: shown only to callers that asked for it. */
export function isUsageEvent(text: string): boolean {
  const parsed = answer.safeParse(parseJson(text));
  return parsed.success && parsed.data.usage != null && parsed.data.choices?.length === 0;
}

/** True for a stream's event that says the engine failed in mid-answer, after its status was sent. */
export function isErrorEvent(text: string): boolean {
  const parsed = z.object({ error: z.record(z.string(), z.unknown()) }).safeParse(parseJson(text));
  return parsed.success;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
