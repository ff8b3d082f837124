import { z } from 'zod';

/** What vitest's JSON reporter writes, as far as it is read here. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** The counts of a run, and why more counts as failed than vitest itself says. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly complaints: readonly string[];
}

/** What `countTests` takes beside the report. */
export interface CountRules {
  readonly allowedSkips: Readonly<Record<string, string>>;
  /** As root or with CI=true: what a test needs could have been set up. */
  readonly fullSetup: boolean;
  /** vitest's exit code: not zero without a failed test means an error outside of any test. */
  readonly exitCode: number;
}

/**
 * Counts a run. These count as failed: a failed test, a file that failed as a whole, a skip that doesn't say
 * what it needs, on a full set-up a skip for something that isn't on the list, and an error outside of any test.
 */
export function countTests(report: unknown, rules: CountRules): TestCounts {
  const files = reportSchema.parse(report).testResults;
  const tests = files.flatMap((file) => file.assertionResults);
  const withStatus = (...wanted: readonly string[]) => tests.filter((one) => wanted.includes(one.status));
  const unrun = tests.filter((one) => one.status !== 'passed' && one.status !== 'failed');
  const wrongSkips = unrun.flatMap((one) => skipProblem(one.fullName, rules));
  const brokenFiles = files
    .filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
    )
    .map((file) => `${file.name} failed as a whole`);
  const complaints = [...wrongSkips, ...brokenFiles];
  const failed = withStatus('failed').length + complaints.length;
  const outside =
    rules.exitCode !== 0 && failed === 0 ? ['vitest reported an error outside of any test'] : [];
  return {
    passed: withStatus('passed').length,
    failed: failed + outside.length,
    skipped: unrun.length - wrongSkips.length,
    complaints: [...complaints, ...outside],
  };
}

/** The line by which a run is recognised; it is printed last. */
export function countsLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function skipProblem(fullName: string, rules: CountRules): string[] {
  const need = /skipped: needs (.+?) \(enable with: .+\)/.exec(fullName)?.[1];
  if (need === undefined) return [`"${fullName}" is skipped and doesn't say what it needs`];
  if (!rules.fullSetup || Object.hasOwn(rules.allowedSkips, need)) return [];
  return [`"${fullName}" is skipped, but ${need} can be set up here`];
}
