import type { Verdict } from './pairTriangle.ts';

/**
 * Verdicts as a comparison message carries them: one character a pair, `>` better, `<` worse, `=` not
 * distinguishable, in the order of pairTriangle.
 */
export function packVerdicts(verdicts: readonly Verdict[]): string {
  return verdicts.map((verdict) => marks[verdict]).join('');
}

/** The verdicts behind such a text. Throws RangeError for a character that is none of the three. */
export function unpackVerdicts(packed: string): readonly Verdict[] {
  return Array.from(packed, unpackVerdict);
}

/** The verdict behind one character. Throws RangeError for one that is none of the three. */
export function unpackVerdict(mark: string): Verdict {
  const verdict = verdictOf.get(mark);
  if (!verdict) throw new RangeError(`${JSON.stringify(mark)} is no verdict; known: > < =`);
  return verdict;
}

const marks: Readonly<Record<Verdict, string>> = { better: '>', worse: '<', 'not distinguishable': '=' };

const verdictOf: ReadonlyMap<string, Verdict> = new Map([
  ['>', 'better'],
  ['<', 'worse'],
  ['=', 'not distinguishable'],
]);
