import type { GradingContext } from '@vtb/db/public/gradingContext.ts';
import type { GradingRow } from '@vtb/db/public/gradings.ts';
import type { SplitRow } from '@vtb/db/public/splits.ts';
import type { Problem } from '@vtb/protocol/errors.ts';
import type { MetricResult, Report, Totals } from '@vtb/protocol/messages/report.ts';
import { scoreOfResult } from '@vtb/protocol/scoring/metricResult.ts';
import { metricLabel } from '@vtb/protocol/season/settings.ts';
import type { Track } from '@vtb/protocol/season/track.ts';

/** What the gateway knows about the order that a report says it answers. */
export interface Expectation {
  readonly grading: GradingRow;
  readonly context: GradingContext;
  readonly split: SplitRow;
  readonly track: Track;
}

/**
 * Everything that keeps a report from being the answer to exactly this order, or that lets more out than the rules
 * allow; empty when it may be accepted.
 */
export function checkReport(report: Report, expected: Expectation): Problem[] {
  return [
    ...subjectProblems(report, expected),
    ...secrecyProblems(report, expected.split),
    ...(report.result.kind === 'scored'
      ? [
          ...report.result.metrics.flatMap((metric, index) => metricProblems(metric, index, expected)),
          ...(report.hidden ? totalsProblems(report.result.totals) : []),
        ]
      : []),
  ];
}

function subjectProblems(report: Report, { grading, context }: Expectation): Problem[] {
  const { submission, run, entry } = context;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['orderDigest', report.orderDigest, grading.orderDigest],
    ['grading', report.grading, grading.id],
    ['gradingNumber', report.gradingNumber, grading.number],
    ['submission', report.submission, submission.id],
    ['season', report.season, entry.season],
    ['track', report.track, run.track],
    ['purpose', report.purpose, submission.purpose],
    ['system', report.system, submission.system],
    ['split', report.split, grading.split],
    ['settings', report.settings, grading.settings],
  ];
  return pairs
    .filter(([, said, is]) => said !== is)
    .map(([name, said, is]) =>
      problem(`/${name}`, `the report says ${String(said)}, the order ${String(is)}`),
    );
}

function secrecyProblems(report: Report, split: SplitRow): Problem[] {
  const hidden = split.secrecy !== 'visible';
  const problems: Problem[] = [];
  // A failure says nothing that would need hiding, and a grader that lacks the split can only take it for hidden.
  const cautious = report.hidden && report.result.kind === 'failed';
  if (report.hidden !== hidden && !cautious)
    problems.push(
      problem('/hidden', `the split is ${hidden ? 'hidden' : 'visible'}, the report says otherwise`),
    );
  if ((hidden || report.hidden) && report.attachments.length > 0)
    problems.push(problem('/attachments', 'a hidden split lets no attachment out'));
  return problems;
}

function metricProblems(metric: MetricResult, index: number, { split, track }: Expectation): Problem[] {
  const at = `/result/metrics/${index}`;
  const problems: Problem[] = [];
  const label = metricLabel(track.settings);
  if (index === 0 && metric.name !== label)
    problems.push(
      problem(`${at}/name`, `the track's metric is ${label}, the report's first is ${metric.name}`),
    );
  if (metric.n !== split.tasks)
    problems.push(problem(`${at}/n`, `the split has ${split.tasks} tasks, the report counts ${metric.n}`));
  const { trials } = track.settings;
  if (metric.k !== trials)
    problems.push(problem(`${at}/k`, `the track has ${trials} trials a task, the report says ${metric.k}`));
  if (problems.length > 0) return problems;
  return sumsProblems(metric, at);
}

/** The interval follows from the sums; another one could carry a message out. */
function sumsProblems(metric: MetricResult, at: string): Problem[] {
  try {
    const { low, high } = scoreOfResult(metric).interval;
    if (low === metric.low && high === metric.high) return [];
    return [
      problem(
        `${at}/low`,
        `these sums give [${low}, ${high}], the report says [${metric.low}, ${metric.high}]`,
      ),
    ];
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return [problem(at, cause.message)];
  }
}

function totalsProblems(totals: Totals): Problem[] {
  return Object.entries(totals)
    .filter(([, value]) => value !== null && Number(value.toPrecision(2)) !== value)
    .map(([name, value]) =>
      problem(`/result/totals/${name}`, `${value} has more than two significant figures, on a hidden split`),
    );
}

function problem(at: string, message: string): Problem {
  return { code: 'report.mismatch', at, message };
}
