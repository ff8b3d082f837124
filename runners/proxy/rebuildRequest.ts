import type { ModelSettings } from './modelSettings.ts';
import { isObject, rebuildMessages } from './rebuildMessages.ts';
import { rebuildTools } from './rebuildTools.ts';
import { problem, type RequestProblem } from './requestProblem.ts';

/** What the engine is sent, and how the answer goes back. */
export type RebuiltRequest = {
  /** The whole body for the engine. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly isStream: boolean;
  /** Whether the caller asked to see the usage event of a stream; the engine is always asked for it. */
  readonly showsUsage: boolean;
};

/** A request that may pass, or everything that is wrong with it. */
export type RebuildOutcome =
  | { readonly kind: 'admitted'; readonly request: RebuiltRequest }
  | { readonly kind: 'refused'; readonly problems: readonly RequestProblem[] };

const stopsMax = 16;
const stopCharsMax = 200;
const passed = [
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stop',
  'stream',
  'stream_options',
];
const bounds = ['max_tokens', 'max_completion_tokens'];
const switches = 'chat_template_kwargs';

/**
 * Builds the engine's request from a caller's: nothing is patched, only listed fields are read.
 *
 * body     any parsed JSON without duplicate keys
 * seed     this turn's seed; the caller may name the trial's, `trialSeed`, or none
 * returns  admitted: the caller's passed fields, the track's pinned values, an output bound of at most the track's
 *          refused: every field that is unknown, has another value than the pinned one, or is malformed
 *
 * null counts as absent for every field the proxy knows: clients write it for "not set". Pure and deterministic.
 */
export function rebuildRequest(
  body: unknown,
  settings: ModelSettings,
  seeds: { readonly trialSeed: number; readonly seed: number },
): RebuildOutcome {
  if (!isObject(body)) return { kind: 'refused', problems: [problem('body', body, 'must be a JSON object')] };
  const problems: RequestProblem[] = [];
  const pinned = pinnedFields(settings, seeds.trialSeed);
  for (const [key, value] of Object.entries(body)) {
    if (passed.includes(key) || bounds.includes(key) || key === switches) continue;
    if (!Object.hasOwn(pinned, key))
      problems.push(problem(key, value, 'is not a field of this track’s model interface'));
    else if (value !== null && value !== pinned[key]) {
      problems.push(
        problem(key, value, `the track pins it to ${JSON.stringify(pinned[key])}; leave it out or send that`),
      );
    }
  }
  checkSwitches(body[switches], settings, problems);
  const isStream = optionalFlag(body.stream, 'stream', problems);
  const showsUsage = streamOptions(body.stream_options, isStream, problems);
  const rebuilt = {
    model: settings.model,
    messages: rebuildMessages(body.messages, problems),
    ...rebuildTools(body, settings, problems),
    ...stopList(body.stop, problems),
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    min_p: settings.minP,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    repetition_penalty: settings.repetitionPenalty,
    seed: seeds.seed,
    n: 1,
    max_tokens: outputBound(body, settings, problems),
    ...(settings.thinkingSwitch ? { chat_template_kwargs: { enable_thinking: settings.thinking } } : {}),
    ...(settings.reasoningEffort === null ? {} : { reasoning_effort: settings.reasoningEffort }),
    stream: isStream,
    ...(isStream ? { stream_options: { include_usage: true } } : {}),
  };
  if (problems.length > 0) return { kind: 'refused', problems };
  return { kind: 'admitted', request: { body: rebuilt, isStream, showsUsage } };
}

function pinnedFields(settings: ModelSettings, trialSeed: number): Readonly<Record<string, unknown>> {
  return {
    model: settings.model,
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    min_p: settings.minP,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    repetition_penalty: settings.repetitionPenalty,
    seed: trialSeed,
    n: 1,
    ...(settings.reasoningEffort === null ? {} : { reasoning_effort: settings.reasoningEffort }),
  };
}

function checkSwitches(value: unknown, settings: ModelSettings, problems: RequestProblem[]): void {
  if (value === undefined || value === null) return;
  if (!isObject(value)) {
    problems.push(problem(switches, value, 'must be an object'));
    return;
  }
  for (const [key, held] of Object.entries(value)) {
    if (key !== 'enable_thinking')
      problems.push(problem(`${switches}.${key}`, held, 'is not a field of this track’s model interface'));
    else if (held !== null && held !== settings.thinking) {
      problems.push(
        problem(
          `${switches}.${key}`,
          held,
          `the track pins it to ${settings.thinking}; leave it out or send that`,
        ),
      );
    }
  }
}

function outputBound(
  body: Record<string, unknown>,
  settings: ModelSettings,
  problems: RequestProblem[],
): number {
  const given = bounds.flatMap((field) => {
    const value = body[field];
    if (value === undefined || value === null) return [];
    if (
      typeof value !== 'number' ||
      !Number.isInteger(value) ||
      value < 1 ||
      value > settings.outputTokensMax
    ) {
      problems.push(
        problem(field, value, `must be a whole number from 1 to the track’s ${settings.outputTokensMax}`),
      );
      return [];
    }
    return [value];
  });
  return Math.min(settings.outputTokensMax, ...given);
}

function stopList(value: unknown, problems: RequestProblem[]): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  const stops: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isFine = stops.every((s) => typeof s === 'string' && s.length > 0 && s.length <= stopCharsMax);
  if (!isFine || stops.length > stopsMax) {
    problems.push(
      problem('stop', value, `must be at most ${stopsMax} texts of 1 to ${stopCharsMax} characters`),
    );
  }
  return stops.length === 0 ? {} : { stop: stops };
}

function optionalFlag(value: unknown, field: string, problems: RequestProblem[]): boolean {
  if (value !== undefined && value !== null && typeof value !== 'boolean') {
    problems.push(problem(field, value, 'must be true or false'));
  }
  return value === true;
}

function streamOptions(value: unknown, isStream: boolean, problems: RequestProblem[]): boolean {
  if (value === undefined || value === null) return false;
  if (!isStream || !isObject(value)) {
    problems.push(problem('stream_options', value, isStream ? 'must be an object' : 'needs stream = true'));
    return false;
  }
  for (const [key, held] of Object.entries(value)) {
    if (key !== 'include_usage') problems.push(problem(`stream_options.${key}`, held, 'is not passed on'));
  }
  return optionalFlag(value.include_usage, 'stream_options.include_usage', problems);
}
