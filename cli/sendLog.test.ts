import { researchLogLimits } from '@vtb/protocol/researchLog/limits.ts';
import type { ResearchLine } from '@vtb/protocol/researchLog/line.ts';
import { readResearchLog } from '@vtb/protocol/researchLog/readResearchLog.ts';
import { anyLine } from '@vtb/protocol/researchLog/testKit.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Failure } from './failure.ts';
import { partsOf, sendLog } from './sendLog.ts';

const numbered = (lines: readonly ResearchLine[]) =>
  lines.map((line, index) => ({ number: index * 2 + 1, line }));
const run = `run_${'a'.repeat(20)}`;

test('parts hold every line in order, and each is one that a request takes', () => {
  const long = fc.constantFrom<ResearchLine>(
    { kind: 'design', id: 'd', components: ['data'], evidence: '漢'.repeat(researchLogLimits.noteCharsMax) },
    { kind: 'episode', activity: 'a', startedAt: '2026-12-01T10:00:00Z', endedAt: '2026-12-01T10:00:00Z' },
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anyLine, long), { maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (some, times) => {
        const lines = numbered(Array.from({ length: times }, () => some).flat());
        const parts = partsOf(lines);
        expect(parts.flat().map(({ number }) => number)).toEqual(lines.map(({ number }) => number));
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(researchLogLimits.requestLinesMax);
          const text = part.map((line) => `${line.text}\n`).join('');
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(researchLogLimits.requestBytesMax);
          expect(readResearchLog(text).problems).toEqual([]);
        }
      },
    ),
    { numRuns: 20 },
  );
});

test('a refusal names the lines of the file, and says what was taken before it', async () => {
  const line: ResearchLine = { kind: 'design', id: 'd', components: ['data'] };
  const lines = numbered(Array.from({ length: researchLogLimits.requestLinesMax + 5 }, () => line));
  let parts = 0;
  const sent = sendLog(
    { run, lines },
    {
      console: { bar: () => undefined },
      client: {
        postText: async (_path, { text }, schema) => {
          parts++;
          if (parts === 2)
            throw new Failure('refused', 'researchLog.invalid', 'no', [
              { code: 'researchLog.future', at: 'line 3 at', message: 'in the future' },
            ]);
          const added = text.trimEnd().split('\n').length;
          return schema.parse({ run, added, known: 0, lines: added });
        },
      },
    },
  );
  const failure = await sent.catch((cause) => cause);
  expect(failure).toBeInstanceOf(Failure);
  const place = (researchLogLimits.requestLinesMax + 2) * 2 + 1;
  expect(failure.problems[0].at).toBe(`line ${place} at`);
  expect(failure.message).toContain(
    `${researchLogLimits.requestLinesMax} new line(s) before these were taken`,
  );
});
