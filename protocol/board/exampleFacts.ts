import { sha256Hex } from '../digest.ts';
import { newId } from '../ids.ts';
import type { Result } from '../messages/report.ts';
import type { EntryFact, PublishedFact } from './facts.ts';

/** For tests of boards: an id that is the same for the same number. */
export function exampleId<Kind extends Parameters<typeof newId>[0]>(kind: Kind, number: number): string {
  return newId(
    kind,
    Uint8Array.from({ length: 20 }, (_, index) => (index < 16 ? 0 : (number >> ((19 - index) * 5)) & 31)),
  );
}

/** For tests of boards: the entry with this number. */
export function exampleEntry(number: number, name = `Agent ${number}`): EntryFact {
  return { id: exampleId('entry', number), team: `Team ${number}`, agent: name, agentHarness: null };
}

/** For tests of boards: a scored result of n tasks × 4 trials with `sumC` successes, all in whole tasks as far as possible. */
export function exampleResult(sumC: number, n = 10): Extract<Result, { kind: 'scored' }> {
  const full = Math.floor(sumC / 4);
  return {
    kind: 'scored',
    metrics: [{ name: 'avg@4', n, k: 4, sumC, sumC2: full * 16 + (sumC - full * 4) ** 2, low: 0, high: 1 }],
    failures: { timeout: '0', turnLimit: '0', truncation: '0', unparsable: '0', empty: '0' },
    totals: { promptTokens: 1_200, cachedTokens: null, generatedTokens: 3_400, replayHours: 0.1 },
    environment: {
      engine: 'llama.cpp',
      engineDigest: sha256Hex('engine'),
      template: sha256Hex('template'),
      flags: '',
      hardware: 'cpu',
      isolation: 'container',
      weights: sha256Hex('weights'),
    },
    retriedTrials: '0',
    flags: [],
  };
}

/** For tests of boards: what an entry has published on a track; `number` gives its ids and its place in time. */
export function examplePublished(
  entry: number,
  track: string,
  result: Result,
  rest: Partial<PublishedFact> = {},
): PublishedFact {
  return {
    entry: exampleId('entry', entry),
    track,
    submission: exampleId('submission', entry),
    grading: exampleId('grading', entry),
    gradingNumber: 1,
    system: '9'.repeat(64),
    result,
    publishedAt: new Date('2026-06-02T00:00:00Z'),
    runStartedAt: new Date('2026-06-01T00:00:00Z'),
    committedAt: new Date(Date.parse('2026-06-01T10:00:00Z') + entry * 60_000),
    withdrawnAt: null,
    researchTokens: null,
    finalsUsed: 1,
    ...rest,
  };
}
