import { createHash } from 'node:crypto';
import type { ProxyCommand, TrialTotals, UsageRecord } from './proxyProtocol.ts';

/** A trial whose token is admitted. */
export type OpenTrial = {
  readonly name: string;
  readonly seed: number;
  readonly outputTokensMax: number;
  /** Aborted when the trial closes. */
  readonly closing: AbortSignal;
  /** Counts a request that was refused before admission. */
  refuse(): void;
  /**
   * Admits one request: the next turn's number, or why not. Check and count are one step, so any number of
   * simultaneous requests can't pass the limit together.
   */
  admit():
    | { readonly kind: 'turn'; readonly turn: number }
    | { readonly kind: 'exhausted'; readonly turnsMax: number }
    | { readonly kind: 'closed' };
  /** Ends an admitted request with its record; called exactly once for each turn. */
  record(usage: UsageRecord): void;
};

/** The trials of one proxy. */
export type TrialTable = {
  open(command: Extract<ProxyCommand, { kind: 'openTrial' }>): void;
  find(token: string): OpenTrial | null;
  /** Closes a trial and resolves with its totals once every admitted request has its record; null if unknown. */
  close(name: string): Promise<TrialTotals | null>;
};

/** A {@link TrialTable}; `onUsage` gets every record as it is made. */
export function trialTable(onUsage: (usage: UsageRecord) => void): TrialTable {
  const byToken = new Map<string, OpenTrial>();
  const byName = new Map<string, { readonly token: string; readonly close: () => Promise<TrialTotals> }>();
  return {
    open(command) {
      const token = tokenDigest(command.token);
      // The runner names each trial once; a repeated line must not reset its counts.
      if (byName.has(command.trial) || byToken.has(token)) return;
      const { trial, close } = createTrial(command, onUsage);
      byToken.set(token, trial);
      byName.set(command.trial, { token, close });
    },
    // Looked up by digest: the time a comparison takes says nothing about the token.
    find: (token) => byToken.get(tokenDigest(token)) ?? null,
    async close(name) {
      const held = byName.get(name);
      if (held === undefined) return null;
      byName.delete(name);
      byToken.delete(held.token);
      return held.close();
    },
  };
}

function createTrial(
  command: Extract<ProxyCommand, { kind: 'openTrial' }>,
  onUsage: (usage: UsageRecord) => void,
): { readonly trial: OpenTrial; readonly close: () => Promise<TrialTotals> } {
  const closing = new AbortController();
  const settled = Promise.withResolvers<void>();
  const records: Counts[] = [];
  let turns = 0;
  let refusals = 0;
  const settle = () => {
    if (closing.signal.aborted && records.length === turns) settled.resolve();
  };
  const trial: OpenTrial = {
    name: command.trial,
    seed: command.seed,
    outputTokensMax: command.outputTokensMax,
    closing: closing.signal,
    refuse: () => {
      refusals += 1;
    },
    admit() {
      if (closing.signal.aborted) return { kind: 'closed' };
      if (turns >= command.turnsMax) return { kind: 'exhausted', turnsMax: command.turnsMax };
      turns += 1;
      return { kind: 'turn', turn: turns - 1 };
    },
    record(usage) {
      const { promptTokens, cachedTokens, generatedTokens } = usage;
      records.push({ promptTokens, cachedTokens, generatedTokens });
      onUsage(usage);
      settle();
    },
  };
  return {
    trial,
    async close() {
      closing.abort();
      settle();
      await settled.promise;
      return { trial: command.trial, turns, refusals, ...sumCounts(records) };
    },
  };
}

type Counts = Pick<UsageRecord, 'promptTokens' | 'cachedTokens' | 'generatedTokens'>;

function sumCounts(records: readonly Counts[]): Counts {
  const sum = (field: keyof Counts) =>
    records.reduce<number | null>((total, r) => {
      const value = r[field];
      return total === null || value === null ? null : total + value;
    }, 0);
  return {
    promptTokens: sum('promptTokens'),
    cachedTokens: sum('cachedTokens'),
    generatedTokens: sum('generatedTokens'),
  };
}

function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
