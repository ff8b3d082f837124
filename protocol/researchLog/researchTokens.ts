import type { ResearchLine, Usage } from './line.ts';
import { lineDigest } from './lineDigest.ts';

/** Sums of declared tokens; null where a part is unknown, for unknown is not 0. */
export interface TokenSums {
  readonly calls: number;
  readonly inputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
}

/** What a research log declares of the research agent's tokens. */
export interface ResearchTokens {
  /** By model name, the model that wrote most first; null is the unknown model. */
  readonly models: readonly (TokenSums & { readonly model: string | null })[];
  /** Null when nothing is declared. */
  readonly total: TokenSums | null;
}

/**
 * Tokens of the research agent by model.
 *
 * lines    any order; lines that repeat one another count once, and of lines about one call (`call`) the fullest counts:
 *          a transcript that was read while it grew says less of its last call than the finished one.
 * returns  exact integer sums.
 * Pure: the order of lines changes nothing.
 */
export function researchTokens(lines: readonly ResearchLine[]): ResearchTokens {
  const calls = new Map<string, Usage>();
  for (const line of lines) {
    if (line.kind !== 'usage') continue;
    const key = line.call === undefined ? lineDigest(line) : `${line.declared ?? ''} ${line.call}`;
    const other = calls.get(key);
    calls.set(key, other === undefined || compareFullness(line, other) > 0 ? line : other);
  }
  if (calls.size === 0) return { models: [], total: null };
  const byModel = new Map<string | null, Usage[]>();
  for (const usage of calls.values()) {
    const list = byModel.get(usage.model);
    if (list === undefined) byModel.set(usage.model, [usage]);
    else list.push(usage);
  }
  const models = [...byModel].map(([model, usages]) => ({ model, ...sums(usages) }));
  return {
    models: models.sort(
      (one, two) =>
        (two.outputTokens ?? -1) - (one.outputTokens ?? -1) || compareText(one.model ?? '', two.model ?? ''),
    ),
    total: sums([...calls.values()]),
  };
}

function sums(usages: readonly Usage[]): TokenSums {
  const sum = (name: 'inputTokens' | 'cachedTokens' | 'outputTokens') =>
    usages.reduce<number | null>((total, usage) => {
      const more = usage[name];
      return total === null || more === null ? null : total + more;
    }, 0);
  return {
    calls: usages.length,
    inputTokens: sum('inputTokens'),
    cachedTokens: sum('cachedTokens'),
    outputTokens: sum('outputTokens'),
  };
}

/** A whole order, so that which of two lines counts never depends on which came first. */
function compareFullness(one: Usage, two: Usage): number {
  return (
    (one.outputTokens ?? -1) - (two.outputTokens ?? -1) ||
    (one.inputTokens ?? -1) - (two.inputTokens ?? -1) ||
    (one.cachedTokens ?? -1) - (two.cachedTokens ?? -1) ||
    compareText(one.model ?? '', two.model ?? '')
  );
}

function compareText(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0;
}
