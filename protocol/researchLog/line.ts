import { z } from 'zod';
import { idSchema, instantSchema } from '../ids.ts';
import { researchLogLimits as limits } from './limits.ts';

/** Programs whose transcripts the command line reads. */
export const transcriptKinds = ['claude-code', 'codex'] as const;
export type TranscriptKind = (typeof transcriptKinds)[number];

/** The three things that one submission can change. */
export const designComponents = ['data', 'trainer', 'harness'] as const;
export type DesignComponent = (typeof designComponents)[number];

/** Set where a line was read from that program's transcript: still the team's word, but not typed by it. */
const declared = z.enum(transcriptKinds).optional();

/** A stretch of research time: what was done from when to when. */
export const episodeSchema = z
  .strictObject({
    kind: z.literal('episode'),
    activity: shown(limits.activityCharsMax, 'one line'),
    startedAt: instantSchema,
    endedAt: instantSchema,
    declared,
  })
  .refine(({ startedAt, endedAt }) => Date.parse(startedAt) <= Date.parse(endedAt), {
    path: ['endedAt'],
    error: 'the episode ends before it starts',
  });
export type Episode = z.infer<typeof episodeSchema>;

/**
 * A design that was tried. A later line with the same id completes or corrects it: what it names counts, the rest stays.
 *
 * parent      the design it was made from, logged before it.
 * components  what it changes.
 * submission  the validation or final submission that carried it.
 */
export const designSchema = z
  .strictObject({
    kind: z.literal('design'),
    id: shown(limits.designIdCharsMax, 'one line'),
    parent: shown(limits.designIdCharsMax, 'one line').optional(),
    components: z
      .array(z.enum(designComponents))
      .min(1, 'name at least one of data, trainer, harness')
      .max(designComponents.length)
      .refine((names) => new Set(names).size === names.length, 'a component is named twice'),
    hypothesis: shown(limits.noteCharsMax, 'many lines').optional(),
    submission: idSchema('submission').optional(),
    decision: shown(limits.noteCharsMax, 'many lines').optional(),
    evidence: shown(limits.noteCharsMax, 'many lines').optional(),
  })
  .refine(({ id, parent }) => parent !== id, { path: ['parent'], error: 'a design is not its own parent' });
export type DesignLine = z.infer<typeof designSchema>;

const tokens = z
  .int('expected a whole number of tokens, or null where it is not known')
  .min(0)
  .max(limits.tokensMax)
  .nullable();

/**
 * Tokens of the research agent's own model calls: one call, or a sum up to an instant.
 *
 * model         as its provider names it; null where it is not known.
 * inputTokens   everything the model read, what came from a cache included.
 * cachedTokens  the part of it that came from a cache.
 * outputTokens  everything the model wrote, reasoning included: what the board shows as research tokens.
 * call          names the call where a transcript does: lines about one call count once, the fullest of them.
 * Null means unknown and stays unknown in every sum; it is never 0.
 */
export const usageSchema = z
  .strictObject({
    kind: z.literal('usage'),
    at: instantSchema,
    model: shown(limits.modelCharsMax, 'one line').nullable(),
    inputTokens: tokens,
    cachedTokens: tokens,
    outputTokens: tokens,
    declared,
    call: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'expected 32 hexadecimal digits')
      .optional(),
  })
  .refine(
    ({ inputTokens, cachedTokens }) =>
      inputTokens === null || cachedTokens === null || cachedTokens <= inputTokens,
    {
      path: ['cachedTokens'],
      error: 'more cached tokens than input tokens: cached ones are part of the input',
    },
  );
export type Usage = z.infer<typeof usageSchema>;

/** One line of a research log. */
export const researchLineSchema = z.discriminatedUnion('kind', [episodeSchema, designSchema, usageSchema], {
  error: (issue) =>
    issue.code === 'invalid_union'
      ? 'expected "kind" to be "episode", "design" or "usage"'
      : 'expected a JSON object',
});
export type ResearchLine = z.infer<typeof researchLineSchema>;

/** Text that people will read: no control characters, no half characters, not only spaces. */
function shown(charsMax: number, lines: 'one line' | 'many lines') {
  const forbidden = lines === 'one line' ? /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u : /[^\P{Cc}\n\t]|\p{Cs}/u;
  return z
    .string()
    .min(1)
    .max(charsMax)
    .refine((text) => text.trim() !== '', 'expected some text')
    .refine(
      (text) => !forbidden.test(text),
      `control characters are not allowed${lines === 'one line' ? ', nor line breaks' : ''}`,
    );
}
