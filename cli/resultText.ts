import type { Result } from '@vtb/protocol/messages/report.ts';

/** A result in one line: score with its interval and what it counts, or why there is none. */
export function resultText(result: Result): string {
  if (result.kind === 'failed')
    return `no score: ${result.fault === 'ours' ? 'our fault' : "the system's fault"}, ${result.cause}`;
  const [metric] = result.metrics;
  if (metric === undefined) return 'no metric';
  const percent = (share: number) => (100 * share).toFixed(1);
  const share = metric.sumC / (metric.n * (metric.name.startsWith('pass') ? 1 : metric.k));
  return `${metric.name} ${percent(share)} % (95 % ${percent(metric.low)} to ${percent(metric.high)}), ${metric.n} tasks × ${metric.k}`;
}
