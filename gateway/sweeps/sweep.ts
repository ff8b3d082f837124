import type { Deps } from '../deps.ts';

/** Work that time brings. */
export interface Sweep {
  readonly name: string;
  /** Milliseconds from the end of one round to the start of the next. */
  readonly everyMs: number;
  /** Does what is due; returns how much. Any number of gateways may do it at once: each item is done once. */
  readonly run: (deps: Deps) => Promise<number>;
}
