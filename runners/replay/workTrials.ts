import type { Environment } from '@vtb/protocol/messages/report.ts';
import type { ClaimedTrial, ReplayLease } from '@vtb/protocol/wire/desk.ts';
import { pause } from '../pause.ts';
import type { RunningModel } from './startModel.ts';
import { type TrialDeps, workTrial } from './workTrial.ts';

/** Between claims while other runners hold what is left. */
const elsewhereMs = 1_000;

/** How a model's trials came to rest. */
export type TrialsEnd =
  /** No trial is left. */
  | { readonly kind: 'done' }
  | { readonly kind: 'proxyDown' }
  /** The engine broke. `ended` trials came to an outcome before; `untouched` ones are still held and not begun. */
  | { readonly kind: 'engineBroken'; readonly ended: number; readonly untouched: readonly ClaimedTrial[] };

/**
 * Claims trials and works them while the model is up.
 *
 * carried  trials that are held from an earlier start of the model; they are worked first
 * room     trials in hand at most: some generate, the others have their task read and wait for a place
 * throws   as workTrial, after every trial in hand has come to rest.
 */
export async function workTrials(
  input: {
    readonly lease: ReplayLease;
    readonly environment: Environment;
    readonly model: Pick<RunningModel, 'down'>;
    readonly carried: readonly ClaimedTrial[];
    readonly room: number;
  },
  deps: TrialDeps,
): Promise<TrialsEnd> {
  const { lease, environment, model } = input;
  const inHand = new Map<string, Promise<void>>();
  const untouched: ClaimedTrial[] = [];
  const state = { ended: 0, failure: null as { readonly error: unknown } | null, isProxyDown: false };
  const stop = deps.broken;
  void model.down.then((which) => {
    state.isProxyDown = which === 'proxy';
    stop.abort();
  });
  const stopped = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const start = (claimed: ClaimedTrial) => {
    const worked = workTrial(claimed, { track: lease.track }, deps)
      .then((end) => {
        if (end === 'ended') state.ended += 1;
        else untouched.push(claimed);
      })
      .catch((error: unknown) => {
        state.failure ??= { error };
        stop.abort();
      })
      .finally(() => inHand.delete(claimed.trial));
    inHand.set(claimed.trial, worked);
  };

  const claim = (room: number) =>
    deps.desk
      .claim(lease.replay, { fencing: lease.fencing, room, environment }, deps.signal)
      .catch((error: unknown) => {
        state.failure ??= { error };
        return null;
      });

  input.carried.forEach(start);
  let left: 'claimable' | 'elsewhere' | 'none' = 'claimable';
  let isDone = false;
  while (!stop.signal.aborted && !isDone) {
    const room = input.room - inHand.size;
    if (inHand.size === 0 || (left === 'claimable' && room > 0)) {
      const reply = await claim(room);
      if (reply === null) break;
      left = reply.left;
      reply.trials.forEach(start);
      isDone = inHand.size === 0 && left === 'none';
      if (isDone || reply.trials.length > 0) continue;
      // Held elsewhere, or taken by others meanwhile.
      await Promise.race([pause(elsewhereMs, deps.signal).catch(() => stop.abort()), stopped]);
      continue;
    }
    await Promise.race([...inHand.values(), stopped]);
  }
  await Promise.all(inHand.values());
  if (state.failure !== null) throw state.failure.error;
  if (state.isProxyDown) return { kind: 'proxyDown' };
  return isDone ? { kind: 'done' } : { kind: 'engineBroken', ended: state.ended, untouched };
}
