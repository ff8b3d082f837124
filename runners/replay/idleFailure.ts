import type { Calibration } from './calibration.ts';
import { ReplayFailed } from './replayFailed.ts';

/**
 * Whose fault it is that an engine breaks again and again with no trial at work: weights that serve a first token and then
 * break serve no grading, where the calibration system does serve. Never thrown, only returned.
 */
export async function idleFailure(calibration: Calibration): Promise<ReplayFailed> {
  const what = 'the engine keeps breaking with nothing to do';
  return (await calibration.blame()) === 'system'
    ? ReplayFailed.system('weightsUnloadable', `${what}, and serves other weights here`)
    : ReplayFailed.ours('engine', what);
}
