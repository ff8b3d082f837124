import { z } from 'zod';

/**
 * A track's settings as the model proxy enforces them: what the engine gets, whoever asks.
 *
 * temperature 0 = greedy; topK 0, topP 1, minP 0 = off; penalties 0 (repetition 1) = off.
 * thinking         what `chat_template_kwargs.enable_thinking` may say
 * thinkingSwitch   whether the track's template has that switch; only then the engine is sent it
 * tools            whether the track's template renders tools; only then requests may have them
 */
export const modelSettings = z.strictObject({
  model: z.string().min(1).max(200),
  temperature: z.number().min(0).max(2),
  topP: z.number().gt(0).max(1),
  topK: z.int().min(0),
  minP: z.number().min(0).max(1),
  presencePenalty: z.number(),
  frequencyPenalty: z.number(),
  repetitionPenalty: z.number(),
  outputTokensMax: z.int().min(1),
  thinking: z.boolean(),
  thinkingSwitch: z.boolean(),
  reasoningEffort: z.string().nullable(),
  tools: z.boolean(),
});

/** Parsed {@link modelSettings}. */
export type ModelSettings = Readonly<z.infer<typeof modelSettings>>;
