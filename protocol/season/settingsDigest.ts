import { jsonDigest, type Sha256 } from '../digest.ts';
import type { Track } from './track.ts';

/**
 * Names exactly what determines a replay of a system on a task: driver, settings, prompt, engine, and the
 * base's facts, header and template by digest.
 *
 * Titles, budgets, quotas, splits and notes are not in it: changing them leaves old results comparable.
 */
export function settingsDigest(track: Track): Sha256 {
  return jsonDigest({
    driver: track.driver,
    settings: track.settings,
    prompt: track.driver === 'prompt' ? track.prompt : null,
    engine: track.engine,
    base: baseDigests(track.base),
  });
}

function baseDigests(base: Track['base']) {
  switch (base.kind) {
    case 'preview':
      return null;
    case 'safetensors':
      return { facts: base.facts.sha256, chatTemplate: base.chatTemplate.sha256 };
    case 'gguf':
      return {
        facts: base.facts.sha256,
        header: base.header.sha256,
        chatTemplate: base.chatTemplate.sha256,
      };
  }
}
