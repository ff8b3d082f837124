import { Readable } from 'node:stream';
import { findDeletion } from '@vtb/db/public/deletions.ts';
import { submissions } from '@vtb/db/public/schema.ts';
import { deletionSchema } from '@vtb/protocol/messages/deletion.ts';
import { publicHalf, unseal } from '@vtb/protocol/messages/sealing.ts';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { inspectWaiting } from '../inspection/inspector.ts';
import {
  type Contest,
  commit,
  type MadeSystem,
  madeSystem,
  newContest,
  uploadAndSeal,
} from '../testing/contest.ts';
import { testGateway } from '../testing/testGateway.ts';
import { collectPart } from './collectGarbage.ts';
import { forgetLeftovers } from './forgetLeftovers.ts';

const gateway = await testGateway();
const { call, deps, clock } = gateway;
const days = (count: number) => count * 86_400_000;
const signal = new AbortController().signal;

async function sealed(contest: Contest, system: MadeSystem): Promise<string> {
  const { member, run } = contest;
  const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
  await uploadAndSeal(gateway, { token: member.token, submission: id, system });
  return id;
}

/** As if inspection had refused it. */
async function refused(contest: Contest, system: MadeSystem): Promise<string> {
  const id = await sealed(contest, system);
  await inspectWaiting(deps, signal);
  return id;
}

/** Both sweeps over a system's part of the store, `ms` from now: by the test's clock for rows, by the machine's for files. */
async function collectAll(system: MadeSystem, ms: number): Promise<void> {
  await forgetLeftovers({ ...deps, now: () => new Date(clock.at.getTime() + ms) });
  for (const { sha256 } of system.chunks)
    await collectPart(sha256.slice(0, 2), { ...deps, now: () => new Date(Date.now() + ms) });
}

const weights = ({ chunks }: MadeSystem) => chunks[1]?.sha256 ?? '';
const has = (system: MadeSystem) => deps.chunks.has(weights(system));

describe('garbage', () => {
  test('what a refused submission brought is kept for two weeks, and then goes', async () => {
    const [contest, system] = [await newContest(gateway), madeSystem()];
    await refused(contest, system);
    await collectAll(system, days(13));
    expect(await has(system)).toBe(true);
    await collectAll(system, days(15));
    expect(await has(system)).toBe(false);
    const { member, run } = contest;
    const again = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    expect(again.missing).toContain(weights(system));
  });

  test.each(['uploading', 'checking', 'queued', 'grading', 'graded', 'published', 'held', 'disqualified'])(
    'what a submission that is %s needs is never touched, however old',
    async (state) => {
      const [contest, system] = [await newContest(gateway), madeSystem()];
      const id = await sealed(contest, system);
      await deps.db.update(submissions).set({ state }).where(eq(submissions.id, id));
      await collectAll(system, days(400));
      expect(await has(system)).toBe(true);
      await deps.db.update(submissions).set({ state: 'refused' }).where(eq(submissions.id, id));
    },
  );

  test('bytes that two submissions share stay for the one that needs them', async () => {
    const [contest, system] = [await newContest(gateway), madeSystem()];
    await refused(contest, system);
    const live = await sealed(contest, system);
    await collectAll(system, days(400));
    expect(await has(system)).toBe(true);
    await deps.db.update(submissions).set({ state: 'refused' }).where(eq(submissions.id, live));
  });

  test('bytes that no row knows of go after an hour, and not before', async () => {
    const system = madeSystem();
    for (const { sha256, bytes } of system.chunks)
      await deps.chunks.put({ sha256, size: bytes.length, bytes: Readable.from([bytes]), signal });
    await collectAll(system, 3_000_000);
    expect(await has(system)).toBe(true);
    await collectAll(system, 4_000_000);
    expect(await has(system)).toBe(false);
  });

  test('an upload whose bytes are collected before they were possessed is told to send again', async () => {
    const [{ member, run }, system] = [await newContest(gateway), madeSystem()];
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    const put = deps.chunks.put;
    const [, chunk] = system.chunks;
    const path = `/submissions/${id}/chunks/${chunk?.sha256}`;
    Object.assign(deps.chunks, {
      put: async (incoming: Parameters<typeof put>[0]) => {
        await put(incoming);
        await collectAll(system, days(1));
      },
    });
    const unlucky = await call(member.token, 'PUT', path, chunk?.bytes);
    Object.assign(deps.chunks, { put });
    expect(await unlucky.json()).toMatchObject({ code: 'upload.brokenOff' });
    expect((await call(member.token, 'PUT', path, chunk?.bytes)).status).toBe(204);
    expect(await has(system)).toBe(true);
  });
});

describe('DELETE /submissions/:id/weights', () => {
  const erase = ({ member }: Contest, id: string) =>
    call(member.token, 'DELETE', `/submissions/${id}/weights`);

  test('erases the bytes and proves it; digests stay; twice is once; nothing of it is graded again', async () => {
    const [contest, system] = [await newContest(gateway), madeSystem()];
    const id = await refused(contest, system);
    const answer = await erase(contest, id);
    expect(answer.status, await answer.clone().text()).toBe(200);
    const deleted = await answer.json();
    const trusted = { [deps.keys.signing.kid]: publicHalf(deps.keys.signing) };
    const { payload } = await unseal('deletion', deleted.statement, deletionSchema, trusted);
    expect(payload).toMatchObject({
      submission: id,
      chunksDeleted: 2,
      chunksKept: 0,
      bytesDeleted: deleted.bytesDeleted,
    });
    expect(await has(system)).toBe(false);
    const view = await (await call(contest.member.token, 'GET', `/submissions/${id}`)).json();
    expect(view).toMatchObject({ state: 'refused', bytesArrived: 0, system: payload.system });
    expect(await (await erase(contest, id)).json()).toEqual(deleted);
    const audit =
      await deps.sql`SELECT actor FROM audit WHERE subject = ${id} AND act = 'submission.systemDeleted'`;
    expect([...audit]).toEqual([{ actor: contest.member.account }]);
    await deps.db.update(submissions).set({ state: 'published' }).where(eq(submissions.id, id));
    const regrade = await call(gateway.owner.token, 'POST', `/admin/submissions/${id}/regrade`, {
      reason: 'look again',
    });
    expect(await regrade.json()).toMatchObject({ code: 'state.conflict' });
  });

  test('keeps what another submission of the team needs, and says how much', async () => {
    const [contest, system] = [await newContest(gateway), madeSystem()];
    const id = await refused(contest, system);
    const live = await sealed(contest, system);
    expect(await (await erase(contest, id)).json()).toMatchObject({ chunksDeleted: 0, chunksKept: 2 });
    expect(await has(system)).toBe(true);
    await deps.db.update(submissions).set({ state: 'refused' }).where(eq(submissions.id, live));
  });

  test('another team keeps what it has sent itself, and the statement does not say so', async () => {
    const [ours, theirs, system] = [await newContest(gateway), await newContest(gateway), madeSystem()];
    const id = await refused(ours, system);
    await refused(theirs, system);
    expect(await (await erase(ours, id)).json()).toMatchObject({ chunksDeleted: 2, chunksKept: 0 });
    expect(await has(system)).toBe(true);
    const again = await commit(gateway, {
      token: ours.member.token,
      run: ours.run,
      purpose: 'validation',
      system,
    });
    expect(again.missingCount).toBe(2);
  });

  test.each(['uploading', 'checking', 'queued', 'grading', 'graded', 'held'])(
    'is refused while a submission is %s',
    async (state) => {
      const [contest, system] = [await newContest(gateway), madeSystem()];
      const id = await sealed(contest, system);
      await deps.db.update(submissions).set({ state }).where(eq(submissions.id, id));
      expect(await (await erase(contest, id)).json()).toMatchObject({ code: 'state.conflict' });
      expect(await has(system)).toBe(true);
      expect(await findDeletion(id, deps.db)).toBeUndefined();
      await deps.db.update(submissions).set({ state: 'refused' }).where(eq(submissions.id, id));
    },
  );
});
