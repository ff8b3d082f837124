import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { addGrading } from '@vtb/db/public/gradings.ts';
import { attachments, submissions } from '@vtb/db/public/schema.ts';
import { feedbackSchema } from '@vtb/protocol/wire/submissions.ts';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { commit, madeSystem, newContest } from '../testing/contest.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const { call, deps, clock } = gateway;
const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const trial = (index: number) => ({
  task: `task-${index}`,
  trial: 0,
  reward: index % 2,
  outcome: 'done',
  problem: 'How many?\n"quoted"',
  expected: '7',
  output: '\\boxed{7}',
  answer: '7',
  promptTokens: 12,
  generatedTokens: null,
});

/** A graded submission with one attachment that came and one that didn't. */
async function graded(purpose: 'validation' | 'final', lines: string) {
  const contest = await newContest(gateway);
  const { id } = await commit(gateway, {
    token: contest.member.token,
    run: contest.run,
    purpose,
    system: madeSystem(),
  });
  const grading = `grd_${id.slice(4)}`;
  await addGrading(
    {
      id: grading,
      submission: id,
      number: 1,
      cause: 'first',
      reason: null,
      state: 'reported',
      order: `ord_${id.slice(4)}`,
      orderDigest: digest(id),
      split: digest('split'),
      settings: digest('settings'),
      orderedAt: clock.at,
    },
    deps.db,
  );
  const bytes = Buffer.from(lines);
  await deps.chunks.put({
    sha256: digest(bytes),
    size: bytes.length,
    bytes: Readable.from([bytes]),
    signal: new AbortController().signal,
  });
  await deps.db.insert(attachments).values([
    { grading, sha256: digest(bytes), size: bytes.length, kind: 'trials', arrivedAt: clock.at },
    { grading, sha256: digest('missing'), size: 1, kind: 'trials', arrivedAt: null },
  ]);
  await deps.db.update(submissions).set({ currentGrading: grading }).where(eq(submissions.id, id));
  return { id, member: contest.member };
}

test('a validation’s feedback is every trial, and says which attachments are still to come', async () => {
  const { id, member } = await graded(
    'validation',
    `${[0, 1, 2].map((index) => JSON.stringify(trial(index))).join('\n')}\n`,
  );
  const response = await call(member.token, 'GET', `/submissions/${id}/feedback`);
  expect(response.status).toBe(200);
  const feedback = feedbackSchema.parse(await response.json());
  expect(feedback.trials).toEqual([0, 1, 2].map(trial));
  expect(feedback.missing).toEqual([digest('missing')]);
});

test('a final has no feedback, whatever is stored: the answer is that of what is not there', async () => {
  const { id, member } = await graded('final', JSON.stringify(trial(1)));
  const response = await call(member.token, 'GET', `/submissions/${id}/feedback`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: 'notFound' });
});
