import { z } from 'zod';
import { closedObject } from './closedObject.ts';
import { countSchema } from './fields.ts';

/**
 * How a track samples, bounds and scores a system: the same for validation and test.
 *
 * Everything is stated, nothing is left to an engine's default or to files of a submission.
 * temperature 0 = greedy; topP 1, topK 0 and minP 0 = off. Token bounds are per request
 * (maxOutputTokens) and per conversation (contextTokens); turns are admitted requests per trial.
 */
export const settingsSchema = closedObject({
  trials: countSchema.max(64, 'must be at most 64'),
  metric: z.enum(['mean', 'avg@k', 'pass@k'], { error: 'must be mean, avg@k or pass@k (k = trials)' }),
  temperature: z.number().min(0, 'must be at least 0').max(2, 'must be at most 2'),
  topP: z.number().gt(0, 'must be more than 0').max(1, 'must be at most 1 (1 = off)'),
  topK: z.int('must be a whole number').min(0, 'must be at least 0 (0 = off)'),
  minP: z.number().min(0, 'must be at least 0 (0 = off)').max(1, 'must be at most 1'),
  maxOutputTokens: countSchema,
  maxTurns: countSchema,
  contextTokens: countSchema,
  thinking: z.boolean('must be true or false'),
}).superRefine((settings, context) => {
  const problem = (key: keyof typeof settings, message: string) =>
    context.addIssue({ code: 'custom', path: [key], message });
  if (settings.metric === 'mean' && settings.trials !== 1) {
    problem('trials', `mean is over one trial a task, not ${settings.trials}; use avg@k or pass@k`);
  }
  if (settings.metric !== 'mean' && settings.trials === 1) {
    problem('metric', `${settings.metric} needs at least 2 trials; with one trial use mean`);
  }
  if (settings.maxOutputTokens > settings.contextTokens) {
    const limit = `contextTokens, ${settings.contextTokens}`;
    problem('maxOutputTokens', `${settings.maxOutputTokens} is more than ${limit}`);
  }
});

/** A track's settings. */
export type Settings = z.infer<typeof settingsSchema>;

/** A name of one of the settings. */
export type SettingName = keyof Settings;

/** The metric as people write it: mean, avg@4, pass@3. */
export function metricLabel(settings: Pick<Settings, 'metric' | 'trials'>): string {
  return settings.metric.replace('@k', `@${settings.trials}`);
}
