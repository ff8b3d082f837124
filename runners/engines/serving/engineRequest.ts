import { z } from 'zod';

const content = z.union([
  z.string(),
  z
    .array(z.strictObject({ type: z.literal('text'), text: z.string() }))
    .transform((parts) => parts.map((p) => p.text).join('')),
]);

/**
 * What our own engines accept: exactly what the model proxy writes. Every number is stated; an unknown field is an
 * error, because the engine must not be a second place where settings are decided.
 *
 * temperature 0 = greedy; top_k 0, top_p 1, min_p 0 = off; seed in [0, 2^32).
 */
export const engineRequest = z.strictObject({
  model: z.string().max(200),
  messages: z.array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content })).min(1),
  temperature: z.number().min(0).max(2),
  top_p: z.number().gt(0).max(1),
  top_k: z.int().min(0),
  min_p: z.number().min(0).max(1),
  presence_penalty: z.literal(0),
  frequency_penalty: z.literal(0),
  repetition_penalty: z.literal(1),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1),
  n: z.literal(1),
  max_tokens: z.int().min(1),
  stop: z.array(z.string().min(1).max(200)).max(16).optional(),
  stream: z.boolean(),
  stream_options: z.strictObject({ include_usage: z.literal(true) }).optional(),
  chat_template_kwargs: z.strictObject({ enable_thinking: z.literal(false) }).optional(),
});

/** A parsed request. */
export type EngineRequest = z.infer<typeof engineRequest>;
