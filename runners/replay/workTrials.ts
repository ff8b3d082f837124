import type { Environment } from '@vtb/protocol/messages/report.ts';
import type { ReplayLease } from '@vtb/protocol/wire/desk.ts';
import { pause } from '../pause.ts';
import type { RunningModel } from './startModel.ts';
import { type TrialDeps, workTrial } from './workTrial.ts';

/** Between claims while other runners hold what is left. */
const elsewhereMs = 1_000;

/**
 * Claims trials and works them while the model is up.
 *
 * room     trials in hand at most; those that wait for a place have their task read already
 * returns  'done' when no trial is left; 'engineDown' when the engine died: its trials are resolved, others may be
 *          left. `resolved` counts trials that ended here.
 * throws   as workTrial, after every trial in hand has come to rest.
 */
export async function workTrials(
  input: {
    readonly lease: ReplayLease;
    readonly environment: Environment;
    readonly model: RunningModel;
    readonly room: number;
  },
  deps: TrialDeps,
): Promise<{ readonly end: 'done' | 'engineDown' | 'proxyDown'; readonly ended: number }> {
  const { lease, environment, model } = input;
  const inHand = new Map<string, Promise<void>>();
  const state = {
    ended: 0,
    failure: null as { readonly error: unknown } | null,
    down: null as string | null,
  };
  const down = model.down.then((which) => {
    state.down = which;
  });
  const start = (claimed: Parameters<typeof workTrial>[0]) => {
    const worked = workTrial(claimed, { track: lease.track }, deps)
      .catch((error: unknown) => {
        state.failure ??= { error };
      })
      .finally(() => {
        state.ended += 1;
        inHand.delete(claimed.trial);
      });
    inHand.set(claimed.trial, worked);
  };

  let left: 'claimable' | 'elsewhere' | 'none' = 'claimable';
  while (state.failure === null && state.down === null) {
    if (inHand.size === 0 || (left === 'claimable' && inHand.size < input.room)) {
      const body = { fencing: lease.fencing, room: input.room - inHand.size, environment };
      const reply = await deps.desk.claim(lease.replay, body, deps.signal);
      left = reply.left;
      reply.trials.forEach(start);
      if (inHand.size === 0 && left === 'none') return { end: 'done', ended: state.ended };
      if (inHand.size === 0) {
        await Promise.race([pause(elsewhereMs, deps.signal), down]);
        continue;
      }
      if (left === 'claimable' && inHand.size < input.room) continue;
    }
    await Promise.race([...inHand.values(), down]);
  }
  await Promise.all(inHand.values());
  if (state.failure !== null) throw state.failure.error;
  return { end: state.down === 'proxy' ? 'proxyDown' : 'engineDown', ended: state.ended };
}
