import { z } from 'zod';
import { closedObject } from './closedObject.ts';
import { assetSchema, countSchema, editsSchema, lineSchema, proseSchema, slugSchema } from './fields.ts';
import { settingsSchema } from './settings.ts';
import { splitSchema } from './split.ts';

/** What serves the weights; everything that changes numbers is stated and is part of the settings digest. */
const engineSchema = closedObject({
  name: z.enum(['llama.cpp', 'vllm', 'sglang', 'transformers'], {
    error: 'must be llama.cpp, vllm, sglang or transformers',
  }),
  version: lineSchema,
  /** Requests served at once; batching changes sums, so it is fixed. */
  concurrency: countSchema.max(1_024, 'must be at most 1,024'),
  flags: z.array(lineSchema).readonly(),
});

/** How a prompt track asks and reads: `user` holds `{problem}` once; the reply's last \boxed{} is the answer. */
const promptSchema = closedObject({
  user: z
    .string()
    .max(4_000, 'must be at most 4,000 characters')
    .refine((text) => text.split('{problem}').length === 2, 'must contain {problem} exactly once'),
  answer: z.literal('boxed-integer', { error: 'must be boxed-integer' }),
});

/**
 * What submitted weights are compared with. `facts` is base.json (tensor names, shapes, digests); `header`
 * the base's GGUF header, `chatTemplate` the template the runner renders. A preview has none of them.
 */
const baseSchema = z.discriminatedUnion(
  'kind',
  [
    closedObject({ kind: z.literal('preview') }),
    closedObject({ kind: z.literal('safetensors'), facts: assetSchema, chatTemplate: assetSchema }),
    closedObject({
      kind: z.literal('gguf'),
      facts: assetSchema,
      header: assetSchema,
      chatTemplate: assetSchema,
    }),
  ],
  { error: 'must be gguf, safetensors or preview' },
);

const common = {
  id: slugSchema,
  title: lineSchema,
  shortTitle: lineSchema.max(24, 'must be at most 24 characters'),
  description: proseSchema,
  edits: editsSchema,
  initialHarness: lineSchema,
  weightsFormat: z.enum(['gguf', 'safetensors'], { error: 'must be gguf or safetensors' }),
  base: baseSchema,
  budgetHours: z.number().gt(0, 'must be more than 0'),
  nominalMinutesPerTrial: z.number().gt(0, 'must be more than 0'),
  settings: settingsSchema,
  /** Settings that the season's source does not state, so that this file had to choose. */
  settingsChosenHere: z.array(settingsSchema.keyof()).readonly(),
  engine: engineSchema,
  secrecy: z.enum(['secret', 'held-back', 'public'], { error: 'must be secret, held-back or public' }),
  aggregate: z.enum(['mean-of-tasks', 'mean-of-groups'], {
    error: 'must be mean-of-tasks or mean-of-groups',
  }),
  /** How far this track is from what its source ran, and why. */
  fidelity: proseSchema,
  resources: z.array(lineSchema).readonly(),
  splits: closedObject({ validation: splitSchema, test: splitSchema }),
};

/** One benchmark of a season. */
export const trackSchema = z
  .discriminatedUnion(
    'driver',
    [
      closedObject({ driver: z.literal('prompt'), ...common, prompt: promptSchema }),
      closedObject({ driver: z.literal('harbor'), ...common }),
      closedObject({ driver: z.literal('package'), ...common }),
    ],
    { error: 'must be prompt, harbor or package' },
  )
  .superRefine((track, context) => {
    const problem = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    if (track.driver === 'prompt' && track.settings.maxTurns !== 1) {
      problem(['settings', 'maxTurns'], `a prompt track has 1 turn a trial, not ${track.settings.maxTurns}`);
    }
    if (track.driver !== 'harbor' && track.edits.includes('harness')) {
      problem(['edits'], `a ${track.driver} track runs no submitted harness; take "harness" out`);
    }
    if (track.base.kind !== 'preview' && track.base.kind !== track.weightsFormat) {
      problem(['base', 'kind'], `is ${track.base.kind} while weightsFormat is ${track.weightsFormat}`);
    }
    if (track.secrecy === 'secret' && track.splits.test.kind === 'fixed' && track.splits.test.path) {
      problem(['splits', 'test', 'path'], 'publishes the test split of a secret track; take it out');
    }
  });

/** A track's definition. */
export type Track = z.infer<typeof trackSchema>;

/** A track worked by the prompt driver. */
export type PromptTrack = Extract<Track, { driver: 'prompt' }>;
