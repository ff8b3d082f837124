import fc from 'fast-check';
import { type DesignLine, designComponents, type Episode, type ResearchLine, type Usage } from './line.ts';

/** For tests: the instant that many seconds after the example run's start. */
export function exampleInstant(seconds: number): string {
  return new Date(Date.parse('2026-12-01T00:00:00.000Z') + seconds * 1_000).toISOString();
}

/** For tests: an episode from second to second. */
export function exampleEpisode(activity: string, from: number, to: number): Episode {
  return { kind: 'episode', activity, startedAt: exampleInstant(from), endedAt: exampleInstant(to) };
}

const known = fc.option(fc.nat(5_000), { nil: null, freq: 8 });

/** For tests: any usage line; calls and models repeat often. */
export const anyUsage: fc.Arbitrary<Usage> = fc
  .record({
    at: fc.nat(90).map(exampleInstant),
    model: fc.constantFrom('kimi-k3', 'gpt-6-astra', null),
    inputTokens: known,
    cached: fc.nat(100),
    outputTokens: known,
    call: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: null }),
  })
  .map(({ cached, call, ...rest }) => ({
    kind: 'usage',
    ...rest,
    cachedTokens: rest.inputTokens === null ? null : Math.min(cached, rest.inputTokens),
    ...(call === null ? {} : { call: call.repeat(32), declared: 'codex' as const }),
  }));

/** For tests: any episode within 100 seconds, before and after the run too. */
export const anyEpisode: fc.Arbitrary<Episode> = fc
  .tuple(
    fc.constantFrom('training', 'waiting', 'submit and grade'),
    fc.integer({ min: -20, max: 80 }),
    fc.nat(40),
  )
  .map(([activity, from, length]) => exampleEpisode(activity, from, from + length));

const note = fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), { nil: undefined });
const designId = fc.constantFrom('d1', 'd2', 'd3', 'd4');

/** For tests: any design line; ids and parents repeat often. */
export const anyDesign: fc.Arbitrary<DesignLine> = fc
  .record({
    id: designId,
    parent: fc.option(designId, { nil: undefined }),
    components: fc.subarray([...designComponents], { minLength: 1 }),
    hypothesis: note,
  })
  .filter(
    ({ id, parent, hypothesis }) =>
      id !== parent &&
      (hypothesis === undefined || (hypothesis.trim() !== '' && !/\p{Cc}|\p{Cs}/u.test(hypothesis))),
  )
  .map(({ id, components, parent, hypothesis }) => ({
    kind: 'design',
    id,
    components,
    ...(parent === undefined ? {} : { parent }),
    ...(hypothesis === undefined ? {} : { hypothesis }),
  }));

/** For tests: any line. */
export const anyLine: fc.Arbitrary<ResearchLine> = fc.oneof(anyUsage, anyEpisode, anyDesign);
