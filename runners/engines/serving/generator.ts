import type { EngineRequest } from './engineRequest.ts';

/** Why generation ended: a stop marker or string, a token bound, or a cancel. */
export type FinishReason = 'stop' | 'length' | 'abort';

/** What one request used. promptTokens are those that were evaluated; 0 only when none was. */
export type GenerationUsage = {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Every sampled token, the end marker included. */
  readonly generatedTokens: number;
};

/** The end of a generation. */
export type GenerationEnd = { readonly finish: FinishReason; readonly usage: GenerationUsage };

/** A loaded model that works on several requests at once, each from a fresh state. */
export type Generator = {
  /**
   * Generates one answer; `onText` gets it piece by piece.
   *
   * throws   PromptTooLong before anything is evaluated; GenerationFailed when the model fails.
   */
  generate(
    request: EngineRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationEnd>;
};

/** The rendered conversation leaves no room for a single token. */
export class PromptTooLong extends Error {
  constructor(promptTokens: number, contextTokensMax: number) {
    super(
      `the conversation has ${promptTokens} tokens; the limit is ${contextTokensMax} with at least one for the answer`,
    );
    this.name = 'PromptTooLong';
  }
}

/** The model failed in mid-answer; what was used until then is known all the same. */
export class GenerationFailed extends Error {
  readonly usage: GenerationUsage;

  constructor(usage: GenerationUsage, cause: unknown) {
    super('generation failed', { cause });
    this.name = 'GenerationFailed';
    this.usage = usage;
  }
}
