import { z } from 'zod';

const result = z.object({
  name: z.string(),
  /** Against what it is compared with in the same run; null where the figure is for the record only. */
  ratio: z.number().nullable(),
  /** The least ratio that is good; null where there is no goal. */
  goal: z.number().nullable(),
  /** What it was computed from, with units in the names. */
  detail: z.record(z.string(), z.union([z.number(), z.string()])),
});

/** What a benchmark's `run` returns: one result, or several. */
export const benchResultsSchema = z.union([result.transform((one) => [one]), z.array(result)]);
export type BenchResult = z.infer<typeof result>;

/** The results as lines for people: ratio against goal, then the figures behind it. */
export function benchTable(results: readonly BenchResult[]): string {
  const rows = results.map(({ name, ratio, goal, detail }) => [
    name,
    ratio === null ? '–' : ratio.toFixed(3),
    goal === null ? '–' : `≥ ${goal}`,
    ratio === null || goal === null ? 'for the record' : ratio >= goal ? 'good' : 'MISSED',
    Object.entries(detail)
      .map(([key, value]) => `${key} ${typeof value === 'number' ? Number(value.toPrecision(5)) : value}`)
      .join(', '),
  ]);
  const all = [['benchmark', 'ratio', 'goal', '', 'from'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
