import type { UsageRecord } from '../proxy/proxyProtocol.ts';

/** The proxy's records, held from when they are made until their trial is closed. */
export function usageBook() {
  const records = new Map<string, UsageRecord[]>();
  return {
    add(usage: UsageRecord): void {
      const there = records.get(usage.trial);
      if (there === undefined) records.set(usage.trial, [usage]);
      else there.push(usage);
    },
    /** A trial's records in the order of their making; they are forgotten here. */
    take(trial: string): readonly UsageRecord[] {
      const taken = records.get(trial) ?? [];
      records.delete(trial);
      return taken;
    },
  };
}
