import { Refusal } from '@vtb/protocol/errors.ts';

/** Wakes whoever follows a subject; carries no data, so a slow follower costs no memory. */
export interface EventHub {
  /**
   * Follows a subject until disposed.
   *
   * throws  Refusal('request.rateLimited') when this process already has all the followers it takes.
   */
  follow(subject: string): Following;
  /** Wakes the followers of a subject; of all subjects when null, because something may have been missed. */
  wake(subject: string | null): void;
}

/** One follower. */
export interface Following extends Disposable {
  /** Resolves at the next wake since the last call, or after `timeoutMs`, or when the signal aborts. */
  next(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** Each follower holds a socket and a query now and then; a process of 2 cores serves this many. */
const followersMax = 2_000;

/** A hub of this process, woken by the database's notifications. */
export function newEventHub(): EventHub {
  const followers = new Map<string, Set<() => void>>();
  let count = 0;
  return {
    follow(subject) {
      if (count >= followersMax)
        throw new Refusal(
          'request.rateLimited',
          `${count} followers are connected, the most this server takes; try again later`,
        );
      count += 1;
      let woken = false;
      let resume: (() => void) | null = null;
      const wake = () => {
        woken = true;
        resume?.();
      };
      const set = followers.get(subject) ?? new Set();
      followers.set(subject, set.add(wake));
      return {
        next: async (timeoutMs, signal) => {
          if (!woken && !signal.aborted) {
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, timeoutMs);
              resume = resolve;
              signal.addEventListener('abort', () => resolve(), { once: true });
              void timer;
            });
          }
          resume = null;
          woken = false;
        },
        [Symbol.dispose]: () => {
          if (set.delete(wake)) count -= 1;
          if (set.size === 0) followers.delete(subject);
        },
      };
    },
    wake(subject) {
      const sets = subject === null ? [...followers.values()] : [followers.get(subject) ?? []];
      for (const set of sets) for (const wake of set) wake();
    },
  };
}
