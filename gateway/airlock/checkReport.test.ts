import { gradingsOf } from '@vtb/db/public/gradings.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps } = gateway;

beforeAll(async () => {
  expect((await enclave.holdSplits()).status).toBe(200);
});

async function ordered(purpose: 'validation' | 'final' = 'final') {
  const submission = await enclave.queued({ purpose });
  return { ...submission, order: await enclave.lastOrder(submission.id) };
}

async function refusal(response: Response) {
  const problem = (await response.json()) as { code: string; problems: { at: string }[] };
  return { code: problem.code, at: problem.problems.map(({ at }) => at) };
}

/** A refused report has left no trace: the order is as open as before. */
async function expectUntouched(submission: string) {
  const [grading] = await gradingsOf(submission, deps.db);
  expect(grading).toMatchObject({ state: 'ordered', report: null, reportDigest: null, result: null });
}

describe('a report on a hidden split lets nothing out', () => {
  it.each([
    [
      'a trace of a trial',
      '/attachments',
      scored(150),
      { attachments: [{ sha256: sha256Hex('x'), size: 1, kind: 'trials' as const }] },
    ],
    ['that it were visible', '/hidden', scored(150), { hidden: false }],
    [
      'exact token totals',
      '/result/totals/generatedTokens',
      { ...scored(150), totals: { ...scored(150).totals, generatedTokens: 73_001 } },
      {},
    ],
    [
      'exact hours',
      '/result/totals/replayHours',
      { ...scored(150), totals: { ...scored(150).totals, replayHours: 0.123 } },
      {},
    ],
    [
      'an interval that its sums do not give',
      '/result/metrics/0/low',
      {
        ...scored(150),
        metrics: scored(150).metrics.map((metric) => ({ ...metric, low: metric.low + 1e-12 })),
      },
      {},
    ],
    [
      'a smaller number of tasks',
      '/result/metrics/0/n',
      { ...scored(150), metrics: scored(150).metrics.map((metric) => ({ ...metric, n: 199 })) },
      {},
    ],
    [
      'sums that no trials give',
      '/result/metrics/0',
      { ...scored(150), metrics: scored(150).metrics.map((metric) => ({ ...metric, sumC2: 1 })) },
      {},
    ],
  ])('not %s', async (_what, at, result, change) => {
    const { id, order } = await ordered();
    expect(await refusal(await enclave.deliver(await enclave.report(order, result, change)))).toMatchObject({
      code: 'message.invalid',
      at: expect.arrayContaining([at]),
    });
    await expectUntouched(id);
  });

  it('and on a visible one exact totals are welcome', async () => {
    const { order } = await ordered('validation');
    const result = { ...scored(50, 'validation'), totals: { ...scored(50).totals, generatedTokens: 73_001 } };
    expect((await enclave.deliver(await enclave.report(order, result))).status).toBe(200);
  });
});

describe('a report on a visible split', () => {
  it('may not hide itself to lose its traces, but a failure may be told cautiously', async () => {
    const { id, order } = await ordered('validation');
    const hidden = { hidden: true };
    expect(
      await refusal(await enclave.deliver(await enclave.report(order, scored(50, 'validation'), hidden))),
    ).toMatchObject({ at: ['/hidden'] });
    await expectUntouched(id);
    const failed = await enclave.report(order, { kind: 'failed', fault: 'ours', cause: 'split' }, hidden);
    expect((await enclave.deliver(failed)).status).toBe(200);
  });
});
