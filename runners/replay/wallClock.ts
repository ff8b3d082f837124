import type { Track } from '@vtb/protocol/season/track.ts';

/** Bounds of a trial's time. */
export type WallClock = {
  /** One request, from its turn at the engine. */
  readonly requestMs: number;
  /** A whole trial in its driver. */
  readonly trialMs: number;
};

const startMs = 60_000;
/** Four tokens a second for all that are generated at once: no host that is fit for a track is slower. */
const tokenMs = 250;
/** Ending a request that ran late takes its proxy a moment. */
const endMs = 30_000;

/**
 * How long a trial may take. A season states tokens and turns, not time, and its hosts differ; so this bound is only
 * there to end what hangs, and is far above what a working engine needs.
 */
export function wallClockMs({ settings, engine }: Pick<Track, 'settings' | 'engine'>): WallClock {
  const requestMs = startMs + settings.maxOutputTokens * engine.concurrency * tokenMs;
  return { requestMs, trialMs: requestMs * settings.maxTurns + endMs };
}
