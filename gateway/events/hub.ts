import { Refusal } from '@vtb/protocol/errors.ts';

/** Wakes whoever follows a subject; carries no data, so a slow follower costs no memory. */
export interface EventHub {
  /**
   * Follows a subject until disposed.
   *
   * owner   whose follower it is: each has a few. Null is the enclave's courier, whom no bound keeps out: without the
   *         feed nothing is graded.
   * throws  Refusal('request.rateLimited') when the owner or this process already has all the followers it may.
   */
  follow(subject: string, owner: string | null): Following;
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

/** A person's terminals and browser windows. */
const followersPerOwnerMax = 32;

/** A hub of this process, woken by the database's notifications. */
export function newEventHub(): EventHub {
  const followers = new Map<string, Set<() => void>>();
  const owners = new Map<string, number>();
  let count = 0;
  return {
    follow(subject, owner) {
      const owned = owner === null ? 0 : (owners.get(owner) ?? 0);
      if (owned >= followersPerOwnerMax)
        throw new Refusal(
          'request.rateLimited',
          `you have ${owned} event streams open, the most there may be; close some`,
        );
      if (owner !== null && count >= followersMax)
        throw new Refusal(
          'request.rateLimited',
          `${count} followers are connected, the most this server takes; try again later`,
        );
      if (owner !== null) {
        count += 1;
        owners.set(owner, owned + 1);
      }
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
          if (!woken && !signal.aborted) await pause((start) => (resume = start), timeoutMs, signal);
          resume = null;
          woken = false;
        },
        [Symbol.dispose]: () => {
          if (!set.delete(wake)) return;
          if (owner !== null) {
            count -= 1;
            const left = (owners.get(owner) ?? 1) - 1;
            if (left === 0) owners.delete(owner);
            else owners.set(owner, left);
          }
          if (set.size === 0 && followers.get(subject) === set) followers.delete(subject);
        },
      };
    },
    wake(subject) {
      const sets = subject === null ? [...followers.values()] : [followers.get(subject) ?? []];
      for (const set of sets) for (const wake of set) wake();
    },
  };
}

function pause(onStart: (resume: () => void) => void, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    onStart(end);
  });
}
