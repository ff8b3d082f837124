import { readFile } from 'node:fs/promises';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { latestAlarms } from '@vtb/db/vault/alarms.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { trialsOf } from '@vtb/db/vault/trials.ts';
import { attachmentBytesMax } from '@vtb/protocol/messages/report.ts';
import { type TrialFeedback, trialFeedbackSchema } from '@vtb/protocol/wire/submissions.ts';
import { beforeAll, expect, test } from 'vitest';
import { gradeOnce } from '../grade.ts';
import { chunkPath, chunksOf } from '../spoolChunks.ts';
import { type TestEnclave, testEnclave, testSystem } from '../testKit.ts';
import { testDesk } from '../testKitRunner.ts';
import { sealForTrial } from '../vault/splitVault.ts';
import { lineOf, makeAttachments } from './makeAttachments.ts';

const database = await testDatabase('vault');
let at: TestEnclave;
beforeAll(async () => {
  at = await testEnclave(database.url);
});
const grade = () => gradeOnce({ number: 0 }, at.enclave);

async function worked(name: string, output = '\\boxed{2}') {
  const order = await at.feed.sendOrder(testSystem(name), 'validation');
  await grade();
  await (await testDesk(at.enclave).enrol()).work(() => output);
  return order.order;
}

test('feedback over one file’s bound goes into several, whole lines in the trials’ order', async () => {
  const id = await worked('long');
  const [order, rows] = [await findOrder(id, at.enclave.db), await trialsOf(id, at.enclave.db)];
  if (order === undefined) throw new Error('the order is there');
  const usage = { promptTokens: 1, cachedTokens: 0, generatedTokens: 1 };
  const output = 'x'.repeat(2_000_000);
  const outcome = { kind: 'answered', end: 'stop', output, reasoning: output, usage, durationMs: 1 };
  const bytes = new TextEncoder().encode(JSON.stringify(outcome));
  const many = Array.from({ length: 6 }, () => rows).flatMap((trials) =>
    trials.map((row) => ({ ...row, outcome: Buffer.from(sealForTrial(bytes, row.id, at.enclave.vault)) })),
  );
  const made = await makeAttachments(order, many, at.enclave);
  expect(made.length).toBe(3);
  const lines: string[] = [];
  for (const { sha256, size } of made) {
    const text = await readFile(chunkPath(chunksOf(at.enclave.spool), sha256), 'utf8');
    expect([Buffer.byteLength(text), size <= attachmentBytesMax]).toEqual([size, true]);
    lines.push(...text.trimEnd().split('\n'));
  }
  const told = lines.map((line) => trialFeedbackSchema.parse(JSON.parse(line)));
  expect(told.map(({ task, trial }) => `${task} ${trial}`)).toEqual(
    many.map(({ task, trial }) => `val-${task + 1} ${trial}`),
  );
  expect(told.every((line) => line.output.length === 4_000_001)).toBe(true);
});

test('a line keeps to its share of the files, and loses the beginning of its output alone', () => {
  const feedback: TrialFeedback = {
    ...{
      task: 't',
      trial: 0,
      reward: 1,
      outcome: 'done' as const,
      problem: '漢',
      expected: '1',
      answer: '1',
    },
    ...{ promptTokens: 1, generatedTokens: 1, output: `${'漢"'.repeat(1_000)}end` },
  };
  const line = lineOf(feedback, 400);
  expect(line.length).toBeGreaterThan(390);
  expect(line.length).toBeLessThanOrEqual(400);
  const told = JSON.parse(new TextDecoder().decode(line));
  expect({ ...told, output: '' }).toEqual({ ...feedback, output: '' });
  expect(feedback.output.endsWith(told.output)).toBe(true);
  expect(() => lineOf(feedback, 40)).toThrow(RangeError);
});

test('totals of over 10⁹ tokens are reported; a report that can’t be made fails its order once, with an alarm', async () => {
  const state = async (id: string) => (await findOrder(id, at.enclave.db))?.state;
  const most = await worked('most');
  await database.sql`UPDATE trials SET generated_tokens = 1170000000 WHERE "order" = ${most} AND task = 0 AND trial = 0`;
  await grade();
  expect(await state(most)).toBe('reported');

  const broken = await worked('broken');
  await database.sql`UPDATE trials SET generated_tokens = -1000 WHERE "order" = ${broken} AND task = 0`;
  await grade();
  expect(await findOrder(broken, at.enclave.db)).toMatchObject({
    state: 'failed',
    result: { kind: 'failed', fault: 'ours', cause: 'internal' },
  });
  const [alarm] = await latestAlarms(1, at.enclave.db);
  expect(alarm).toMatchObject({ code: 'report.impossible', subject: broken });
});
