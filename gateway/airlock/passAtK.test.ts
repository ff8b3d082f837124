import { gradingContext } from '@vtb/db/public/gradingContext.ts';
import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { findSplit } from '@vtb/db/public/splits.ts';
import { buildBoard } from '@vtb/protocol/board/buildBoard.ts';
import { exampleEntry, examplePublished } from '@vtb/protocol/board/exampleFacts.ts';
import { exampleSeason } from '@vtb/protocol/board/exampleSeason.ts';
import { type Report, reportSchema } from '@vtb/protocol/messages/report.ts';
import { unseal } from '@vtb/protocol/messages/sealing.ts';
import { metricResult } from '@vtb/protocol/scoring/metricResult.ts';
import type { Track } from '@vtb/protocol/season/track.ts';
import { beforeAll, expect, it } from 'vitest';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';
import { checkReport } from './checkReport.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps } = gateway;

beforeAll(async () => {
  expect((await enclave.holdSplits()).status).toBe(200);
});

/** 200 tasks of three trials each: 120 solved at least once. */
const counts = Array.from({ length: 200 }, (_, task) => (task < 120 ? 1 + (task % 3) : 0));
const result = {
  ...scored(0),
  metrics: [metricResult({ name: 'pass@k', trials: 3, counts })],
};

async function checked(change: Partial<Report> = {}) {
  const { id } = await enclave.queued({});
  const order = await enclave.lastOrder(id);
  const envelope = await enclave.report(order, result, change);
  const { payload } = await unseal('report', envelope.report, reportSchema, deps.keys.grader);
  const [context, [grading]] = [await gradingContext(id, deps.db), await gradingsOf(id, deps.db)];
  const split = await findSplit(
    { season: order.season, track: order.track, purpose: order.purpose, split: order.split },
    deps.db,
  );
  const [made] = deps.seasons.get('pocket')?.season.tracks ?? [];
  if (context === undefined || grading === undefined || split === undefined || made === undefined)
    throw new Error('the order is there');
  const track: Track = { ...made, settings: { ...made.settings, metric: 'pass@k', trials: 3 } };
  return { report: payload, problems: checkReport(payload, { grading, context, split, track }) };
}

it('a pass@3 result is accepted and stands on the board as solved tasks of all tasks', async () => {
  const { report, problems } = await checked();
  expect(problems).toEqual([]);
  const table = buildBoard({
    season: exampleSeason(['t']),
    entries: [exampleEntry(1)],
    published: [examplePublished(1, 't', report.result)],
    asOf: new Date('2026-07-01T00:00:00Z'),
  });
  expect(table.rows[0]?.cells.t).toMatchObject({
    metric: 'pass@3',
    n: 200,
    k: 3,
    score: { exact: '120/200', shown: '60.0' },
  });
});

it('a pass@3 result that counts trials, or says another number of them, is refused', async () => {
  const [metric] = result.metrics;
  if (metric === undefined) throw new Error('a scored result has a metric');
  for (const [wrong, at] of [
    [{ k: 1 }, '/result/metrics/0/k'],
    [{ sumC: 240 }, '/result/metrics/0'],
  ] as const) {
    const { problems } = await checked({ result: { ...result, metrics: [{ ...metric, ...wrong }] } });
    expect(problems.map((problem) => problem.at)).toEqual([at]);
  }
});
