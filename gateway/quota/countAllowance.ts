import type { LedgerLine } from '@vtb/db/public/ledger.ts';

/** What may still be done on one account. */
export interface Allowance {
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  /** Never negative, also where a limit was lowered. */
  readonly left: number;
}

type Line = Pick<LedgerLine, 'submission' | 'account' | 'act'>;

/**
 * Counts one account of a ledger: the function that both shows and enforces.
 *
 * lines  any lines of the scope the limit is for, in any order; those of other accounts are ignored. A submission counts
 *        once: spent if any line spends it, else reserved unless a line releases it.
 */
export function countAllowance(
  lines: readonly Line[],
  account: LedgerLine['account'],
  limit: number,
): Allowance {
  const acts = new Map<string, Set<LedgerLine['act']>>();
  for (const line of lines) {
    if (line.account !== account) continue;
    acts.set(line.submission, (acts.get(line.submission) ?? new Set()).add(line.act));
  }
  const all = [...acts.values()];
  const spent = all.filter((set) => set.has('spend')).length;
  const reserved = all.filter((set) => set.has('reserve') && !set.has('spend') && !set.has('release')).length;
  return { limit, spent, reserved, left: Math.max(0, limit - spent - reserved) };
}
