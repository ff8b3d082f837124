import { createHash } from 'node:crypto';
import type { Track } from '@vtb/protocol/season/track.ts';
import type { EngineSettings } from '../engines/engine.ts';
import { type ChatTemplateName, chatTemplateNames, chatTemplates } from '../engines/serving/chatTemplate.ts';
import type { ModelSettings } from '../proxy/modelSettings.ts';
import { ReplayFailed } from './replayFailed.ts';

/** How a track's model is served: what the engine is told, and what the proxy pins. */
export type TrackModel = { readonly engine: EngineSettings; readonly proxy: ModelSettings };

/** A model that serves within this is up; weights of tens of gigabytes come from a disk at 500 MB/s at least. */
const loadTimeoutMsMin = 60_000;
const loadBytesPerMs = 500_000;
/** V8, the library's buffers, key-value cache; weights are mapped and counted beside it. */
const engineBytesMin = 2 * 2 ** 30;

/**
 * The settings of a track's model. Everything that changes numbers is the track's; a track that asks for what this
 * runner doesn't do is refused rather than served differently.
 *
 * fileSize  bytes of the engine's weights file
 * throws    ReplayFailed (ours, engine) for a template or a flag that this runner doesn't know.
 */
export function trackModel(track: Track, fileSize: number): TrackModel {
  const { settings, engine } = track;
  return {
    engine: {
      template: templateOf(track),
      contextTokensMax: settings.contextTokens,
      outputTokensMax: settings.maxOutputTokens,
      concurrencyMax: engine.concurrency,
      // The proxy lets no more through; cancelled ones may still hold a place for a moment.
      queueMax: engine.concurrency,
      threads: threadsOf(track),
      memoryBytesMax: engineBytesMin + 2 * fileSize,
      loadTimeoutMs: loadTimeoutMsMin + Math.ceil(fileSize / loadBytesPerMs),
    },
    proxy: {
      model: track.id,
      temperature: settings.temperature,
      topP: settings.topP,
      topK: settings.topK,
      minP: settings.minP,
      presencePenalty: 0,
      frequencyPenalty: 0,
      repetitionPenalty: 1,
      outputTokensMax: settings.maxOutputTokens,
      thinking: settings.thinking,
      // No template that is rendered here has the switch.
      thinkingSwitch: false,
      reasoningEffort: null,
      tools: false,
    },
  };
}

function templateOf({ base }: Track): ChatTemplateName {
  const wanted = base.kind === 'preview' ? null : base.chatTemplate.sha256;
  const found = chatTemplateNames.find(
    (name) => createHash('sha256').update(chatTemplates[name].source).digest('hex') === wanted,
  );
  if (found !== undefined) return found;
  throw ReplayFailed.ours('engine', `no template that is rendered here has the digest ${wanted}`);
}

function threadsOf({ engine }: Track): number {
  const unknown = engine.flags.filter((flag) => flag !== 'gpu=false' && !/^threads=[1-9]\d{0,2}$/.test(flag));
  if (unknown.length > 0) {
    throw ReplayFailed.ours(
      'engine',
      `engine flags not known here: ${unknown.join(', ')}; known: gpu=false, threads=N`,
    );
  }
  const threads = engine.flags.find((flag) => flag.startsWith('threads='))?.slice('threads='.length);
  return threads === undefined ? 1 : Number(threads);
}
