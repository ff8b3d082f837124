import { sha256Hex } from '@vtb/protocol/digest.ts';
import { researchLogLimits } from '@vtb/protocol/researchLog/limits.ts';
import type { TranscriptKind, Usage } from '@vtb/protocol/researchLog/line.ts';

/** Model calls, each once. */
export interface Calls {
  /** `name` is what tells one call from another in its program's transcripts; null where nothing does. */
  readonly add: (name: string | null, usage: Omit<Usage, 'kind' | 'call' | 'declared'>) => void;
  /** By instant. */
  readonly usage: () => Usage[];
}

/**
 * Collects model calls. Of several records of one call the fullest counts, at the first one's instant: streams write
 * early counts first, and copied sessions repeat what was said.
 */
export function newCalls(declared: TranscriptKind): Calls {
  const named = new Map<string, Usage>();
  const nameless: Usage[] = [];
  return {
    add: (name, usage) => {
      if (name === null) {
        nameless.push({ kind: 'usage', ...usage, declared });
        return;
      }
      const call = sha256Hex(`${declared}\n${name}`).slice(0, 32);
      const other = named.get(call);
      const fuller = other === undefined || isFuller(usage, other) ? usage : other;
      const at = other !== undefined && other.at < usage.at ? other.at : usage.at;
      named.set(call, { kind: 'usage', ...fuller, at, declared, call });
    },
    usage: () =>
      [...named.values(), ...nameless].sort((one, two) => (one.at < two.at ? -1 : one.at > two.at ? 1 : 0)),
  };
}

function isFuller(one: Pick<Usage, 'inputTokens' | 'outputTokens'>, two: Usage): boolean {
  const more = (one.outputTokens ?? -1) - (two.outputTokens ?? -1);
  return more === 0 ? (one.inputTokens ?? -1) > (two.inputTokens ?? -1) : more > 0;
}

/** A count from a transcript; null where there is none that can be one. */
export function countOf(value: unknown): number | null {
  const isCount =
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    value >= 0 &&
    value <= researchLogLimits.tokensMax;
  return isCount ? value : null;
}

/** A sum that is unknown when a part is. */
export function sumOf(...parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}

/** A model's name from a transcript; null where there is none fit to be shown. */
export function modelOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  return value.length <= researchLogLimits.modelCharsMax && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)
    ? value
    : null;
}

/** An instant from a transcript in milliseconds; null where there is none. */
export function instantOf(value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) || ms < 0 || ms > latestMs ? null : ms;
}

/** The year 9999: what RFC 3339 can write. */
const latestMs = 253_402_300_799_999;
