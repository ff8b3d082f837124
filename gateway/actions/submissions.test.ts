import { linesOfSubmission } from '@vtb/db/public/ledger.ts';
import { describe, expect, test } from 'vitest';
import { inspectWaiting } from '../inspection/inspector.ts';
import { commit, madeSystem, newContest, newRun, uploadAndSeal } from '../testing/contest.ts';
import { pocketSystem } from '../testing/pocketSystem.ts';
import { testGateway } from '../testing/testGateway.ts';
import { lapseSubmission } from './lapseSubmission.ts';

const gateway = await testGateway();
const { call, deps, clock } = gateway;
const signal = new AbortController().signal;
const hour = 3_600_000;

const json = async (response: Response | Promise<Response>) => (await response).json();
const quota = (token: string, run: string) => json(call(token, 'GET', `/quota?run=${run}`));
const runOf = (token: string, run: string) => json(call(token, 'GET', `/runs/${run}`));
const submissionOf = (token: string, id: string) => json(call(token, 'GET', `/submissions/${id}`));
const ledgerOf = async (id: string) =>
  (await linesOfSubmission(id, deps.db)).map(({ account, act }) => `${account} ${act}`);
const auditOf = async (subject: string) =>
  (await deps.sql`SELECT act, actor FROM audit WHERE subject = ${subject} ORDER BY id`).map(
    ({ act, actor }) => `${act} by ${actor}`,
  );
const countAll = async () =>
  (
    await deps.sql`SELECT (SELECT count(*) FROM audit) a, (SELECT count(*) FROM events) e, (SELECT count(*) FROM ledger) l, (SELECT count(*) FROM team_chunks) c`
  )[0];

describe('commit', () => {
  test('its instant is the one that counts; the answer lists what this team lacks', async () => {
    const { member, run } = await newContest(gateway);
    const system = madeSystem();
    const committed = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    expect(committed.committedAt).toBe(clock.at.toISOString());
    expect(Date.parse(committed.uploadUntil) - Date.parse(committed.committedAt)).toBe(12 * hour);
    expect([...committed.missing].sort()).toEqual(system.chunks.map(({ sha256 }) => sha256).sort());
    expect(await auditOf(committed.id)).toEqual([`submission.committed by ${member.account}`]);
  });

  test('twice with one key is once, with the same answer; the key with another body is refused', async () => {
    const { member, run } = await newContest(gateway);
    const body = { purpose: 'validation', manifest: madeSystem().manifest };
    const key = { 'idempotency-key': 'one' };
    const first = await json(call(member.token, 'POST', `/runs/${run}/submissions`, body, key));
    const before = await countAll();
    expect(await json(call(member.token, 'POST', `/runs/${run}/submissions`, body, key))).toEqual(first);
    expect(await countAll()).toEqual(before);
    const other = await call(
      member.token,
      'POST',
      `/runs/${run}/submissions`,
      { ...body, purpose: 'final' },
      key,
    );
    expect(other.status).toBe(409);
    expect(await json(other)).toMatchObject({ code: 'request.idempotencyReused' });
  });

  test('a final ends the run at that instant and reserves; a second is refused', async () => {
    const { member, run } = await newContest(gateway);
    const { id } = await commit(gateway, {
      token: member.token,
      run,
      purpose: 'final',
      system: madeSystem(),
    });
    expect(await runOf(member.token, run)).toMatchObject({
      endedAt: clock.at.toISOString(),
      endReason: 'final',
      quota: { finals: { reserved: 1, spent: 0, left: 99 } },
    });
    expect(await ledgerOf(id)).toEqual(['finals reserve']);
    const again = await call(member.token, 'POST', `/runs/${run}/submissions`, {
      purpose: 'final',
      manifest: madeSystem().manifest,
    });
    expect(await json(again)).toMatchObject({ code: 'final.live' });
    const late = await call(member.token, 'POST', `/runs/${run}/submissions`, {
      purpose: 'validation',
      manifest: madeSystem().manifest,
    });
    expect(await json(late)).toMatchObject({ code: 'run.ended' });
  });

  test('of 20 racing finals of one run exactly one commits', async () => {
    const { member, run } = await newContest(gateway);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(member.token, 'POST', `/runs/${run}/submissions`, {
          purpose: 'final',
          manifest: madeSystem().manifest,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect(await quota(member.token, run)).toMatchObject({ finals: { reserved: 1 } });
  });

  test('after the budget it is refused, at the last instant before it is taken', async () => {
    const { member, run } = await newContest(gateway);
    const start = clock.at;
    const deadline = Date.parse((await runOf(member.token, run)).deadline);
    clock.at = new Date(deadline);
    expect(
      await json(
        call(member.token, 'POST', `/runs/${run}/submissions`, {
          purpose: 'validation',
          manifest: madeSystem().manifest,
        }),
      ),
    ).toMatchObject({ code: 'run.overBudget' });
    clock.at = new Date(deadline - 1);
    await commit(gateway, { token: member.token, run, purpose: 'validation', system: madeSystem() });
    clock.at = start;
  });

  test('a manifest with several mistakes is refused with all of them, and one for another track by name', async () => {
    const { member, run } = await newContest(gateway);
    const broken = {
      schema: 1,
      track: 'wordmath',
      edits: ['data'],
      files: [{ path: '../x', role: 'weights', size: 3, chunks: [] }],
    };
    const answer = await json(
      call(member.token, 'POST', `/runs/${run}/submissions`, { purpose: 'validation', manifest: broken }),
    );
    expect(answer).toMatchObject({ code: 'manifest.invalid', status: 422 });
    expect(answer.problems.length).toBeGreaterThan(1);
    const elsewhere = await json(
      call(member.token, 'POST', `/runs/${run}/submissions`, {
        purpose: 'validation',
        manifest: madeSystem('chess').manifest,
      }),
    );
    expect(elsewhere.problems).toMatchObject([{ code: 'system.track' }]);
  });
});

describe('upload', () => {
  test('wrong bytes, too many and too few are refused, and nothing is stored or possessed', async () => {
    const { member, run, team } = await newContest(gateway);
    const system = madeSystem();
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    const [, weights] = system.chunks;
    const sha256 = weights?.sha256 ?? '';
    for (const [bytes, code] of [
      [Buffer.alloc(1_000), 'chunk.mismatch'],
      [Buffer.alloc(999), 'chunk.size'],
      [Buffer.alloc(1_001), 'chunk.size'],
    ] as const) {
      const answer = await call(member.token, 'PUT', `/submissions/${id}/chunks/${sha256}`, bytes);
      expect(answer.status).toBe(422);
      expect(await json(answer)).toMatchObject({ code });
    }
    expect(await deps.chunks.has(sha256)).toBe(false);
    expect(await deps.sql`SELECT 1 FROM team_chunks WHERE team = ${team}`).toEqual([]);
    expect(
      await json(call(member.token, 'PUT', `/submissions/${id}/chunks/${'0'.repeat(64)}`, Buffer.alloc(1))),
    ).toMatchObject({ code: 'chunk.unknown' });
  });

  test('the same chunk twice, and at once, changes nothing', async () => {
    const { member, run } = await newContest(gateway);
    const system = madeSystem();
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    const put = () =>
      Promise.all(
        system.chunks.map(({ sha256, bytes }) =>
          call(member.token, 'PUT', `/submissions/${id}/chunks/${sha256}`, bytes),
        ),
      );
    const statuses = (await Promise.all([put(), put(), put()])).flat().map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([204]));
    const before = await countAll();
    await put();
    expect(await countAll()).toEqual(before);
    expect(await auditOf(id)).toEqual([
      `submission.committed by ${member.account}`,
      `submission.chunkArrived by ${member.account}`,
    ]);
  });

  test('what another team has sent is never already there; what this team has sent is', async () => {
    const [ours, theirs] = [await newContest(gateway), await newContest(gateway)];
    const system = madeSystem();
    const mine = await commit(gateway, {
      token: ours.member.token,
      run: ours.run,
      purpose: 'validation',
      system,
    });
    await uploadAndSeal(gateway, { token: ours.member.token, submission: mine.id, system });
    const foreign = await commit(gateway, {
      token: theirs.member.token,
      run: theirs.run,
      purpose: 'validation',
      system,
    });
    expect(foreign.missingCount).toBe(2);
    expect(await json(call(theirs.member.token, 'POST', `/submissions/${foreign.id}/seal`))).toMatchObject({
      code: 'upload.incomplete',
    });
    const again = await commit(gateway, {
      token: ours.member.token,
      run: ours.run,
      purpose: 'validation',
      system,
    });
    expect(again.missing).toEqual([]);
  });

  test('the token that committed may finish its upload after it ended, and do nothing else; another ended token may not', async () => {
    const { member, run, team } = await newContest(gateway);
    const other = await gateway.person({ team });
    const system = madeSystem();
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    await call(member.token, 'DELETE', `/tokens/${member.jti}`);
    await call(other.token, 'DELETE', `/tokens/${other.jti}`);
    expect((await call(other.token, 'GET', `/submissions/${id}/missing`)).status).toBe(401);
    expect((await call(member.token, 'GET', `/runs/${run}`)).status).toBe(401);
    expect((await call(member.token, 'POST', `/submissions/${id}/withdraw`, { reason: 'x' })).status).toBe(
      401,
    );
    expect((await json(call(member.token, 'GET', `/submissions/${id}/missing`))).missingCount).toBe(2);
    await uploadAndSeal(gateway, { token: member.token, submission: id, system });
    clock.at = new Date(clock.at.getTime() + 13 * hour);
    expect((await call(member.token, 'GET', `/submissions/${id}/missing`)).status).toBe(401);
    clock.at = new Date(clock.at.getTime() - 13 * hour);
  });

  test('after the grace no byte is taken and nothing sealed; the submission lapses once', async () => {
    const { member, run } = await newContest(gateway);
    const system = madeSystem();
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'final', system });
    const start = clock.at;
    clock.at = new Date(start.getTime() + 12 * hour);
    const [chunk] = system.chunks;
    expect(
      await json(call(member.token, 'PUT', `/submissions/${id}/chunks/${chunk?.sha256}`, chunk?.bytes)),
    ).toMatchObject({ code: 'upload.graceEnded' });
    expect(await json(call(member.token, 'POST', `/submissions/${id}/seal`))).toMatchObject({
      code: 'upload.graceEnded',
    });
    const lapse = () =>
      deps.db.transaction((tx) => lapseSubmission({ submission: id, at: clock.at }, deps, tx));
    await Promise.all([lapse(), lapse()]);
    await lapse();
    expect(await submissionOf(member.token, id)).toMatchObject({ state: 'lapsed' });
    expect(await ledgerOf(id)).toEqual(['finals reserve', 'finals release', 'failedTries spend']);
    expect(await runOf(member.token, run)).toMatchObject({
      endedAt: null,
      endReason: null,
      quota: { finals: { reserved: 0, left: 100 }, failedTries: { spent: 1 } },
    });
    clock.at = start;
  });

  test('a final that lapses past the budget gives its final back and leaves the run ended', async () => {
    const { member, run } = await newContest(gateway);
    const start = clock.at;
    const deadline = Date.parse((await runOf(member.token, run)).deadline);
    clock.at = new Date(deadline - hour);
    const { id } = await commit(gateway, {
      token: member.token,
      run,
      purpose: 'final',
      system: madeSystem(),
    });
    clock.at = new Date(deadline + 12 * hour);
    await deps.db.transaction((tx) => lapseSubmission({ submission: id, at: clock.at }, deps, tx));
    expect(await ledgerOf(id)).toEqual(['finals reserve', 'finals release']);
    expect(await runOf(member.token, run)).toMatchObject({
      endReason: 'final',
      quota: { finals: { reserved: 0 }, failedTries: { spent: 0 } },
    });
    clock.at = start;
  });
});

describe('inspection', () => {
  test('a refused final comes back with every problem, gives its final back, reopens its run and counts a failed try', async () => {
    const { member, run } = await newContest(gateway);
    const system = madeSystem();
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'final', system });
    await uploadAndSeal(gateway, { token: member.token, submission: id, system });
    await Promise.all([inspectWaiting(deps, signal), inspectWaiting(deps, signal)]);
    const refused = await submissionOf(member.token, id);
    expect(refused).toMatchObject({ state: 'refused', gradings: [] });
    expect(refused.problems.length).toBeGreaterThan(0);
    expect(await ledgerOf(id)).toEqual(['finals reserve', 'finals release', 'failedTries spend']);
    expect(await runOf(member.token, run)).toMatchObject({
      endedAt: null,
      quota: { failedTries: { spent: 1 } },
    });
    await commit(gateway, { token: member.token, run, purpose: 'final', system: madeSystem() });
  });

  test('a refused validation costs nothing', async () => {
    const { member, run } = await newContest(gateway);
    const system = madeSystem();
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    await uploadAndSeal(gateway, { token: member.token, submission: id, system });
    await inspectWaiting(deps, signal);
    expect(await submissionOf(member.token, id)).toMatchObject({ state: 'refused' });
    expect(await ledgerOf(id)).toEqual([]);
  });

  test.each(['final', 'validation'] as const)(
    'a sound %s is queued with its quota taken; sealing again changes nothing',
    async (purpose) => {
      const { member, run } = await newContest(gateway);
      const system = await pocketSystem();
      const { id } = await commit(gateway, { token: member.token, run, purpose, system });
      await uploadAndSeal(gateway, { token: member.token, submission: id, system });
      await Promise.all([inspectWaiting(deps, signal), inspectWaiting(deps, signal)]);
      expect(await submissionOf(member.token, id)).toMatchObject({
        state: 'queued',
        problems: [],
        bytesArrived: system.bytes,
      });
      expect(await ledgerOf(id)).toEqual(
        purpose === 'final' ? ['finals reserve', 'finals spend'] : ['validations reserve'],
      );
      const before = await countAll();
      expect((await call(member.token, 'POST', `/submissions/${id}/seal`)).status).toBe(200);
      await inspectWaiting(deps, signal);
      expect(await countAll()).toEqual(before);
    },
    90_000,
  );
});

describe('withdraw', () => {
  test('before it is queued everything is given back; twice is once', async () => {
    const { member, run } = await newContest(gateway);
    const { id } = await commit(gateway, {
      token: member.token,
      run,
      purpose: 'final',
      system: madeSystem(),
    });
    const withdraw = () =>
      call(member.token, 'POST', `/submissions/${id}/withdraw`, { reason: 'the wrong folder' });
    expect(await json(withdraw())).toMatchObject({ state: 'withdrawn', withdrawnAt: clock.at.toISOString() });
    const before = await countAll();
    expect(await json(withdraw())).toMatchObject({ state: 'withdrawn' });
    expect(await countAll()).toEqual(before);
    expect(await ledgerOf(id)).toEqual(['finals reserve', 'finals release', 'failedTries spend']);
    expect((await auditOf(id)).at(-1)).toBe(`submission.withdrawn by ${member.account}`);
  });

  test('from queued on nothing is given back', async () => {
    const { member, run } = await newContest(gateway);
    const system = await pocketSystem();
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    await uploadAndSeal(gateway, { token: member.token, submission: id, system });
    await inspectWaiting(deps, signal);
    await call(member.token, 'POST', `/submissions/${id}/withdraw`, { reason: 'changed our minds' });
    expect(await submissionOf(member.token, id)).toMatchObject({
      state: 'withdrawn',
      stateReason: 'changed our minds',
    });
    expect(await ledgerOf(id)).toEqual(['validations reserve', 'validations spend']);
  });

  test('while it is checked it is refused', async () => {
    const { member, run } = await newContest(gateway);
    const system = madeSystem();
    const { id } = await commit(gateway, { token: member.token, run, purpose: 'validation', system });
    await uploadAndSeal(gateway, { token: member.token, submission: id, system });
    expect(
      await json(call(member.token, 'POST', `/submissions/${id}/withdraw`, { reason: 'x' })),
    ).toMatchObject({ code: 'submission.notWithdrawable' });
  });
});

describe('runs', () => {
  test('finish ends a run without a final; twice is once; nothing can be committed after it', async () => {
    const { member, run } = await newContest(gateway);
    const first = await json(call(member.token, 'POST', `/runs/${run}/finish`));
    expect(first).toMatchObject({ endReason: 'finished', endedAt: clock.at.toISOString() });
    const before = await countAll();
    expect(await json(call(member.token, 'POST', `/runs/${run}/finish`))).toEqual(first);
    expect(await countAll()).toEqual(before);
    expect(await auditOf(run)).toEqual([
      `run.started by ${member.account}`,
      `run.finished by ${member.account}`,
    ]);
    expect(
      await json(
        call(member.token, 'POST', `/runs/${run}/submissions`, {
          purpose: 'final',
          manifest: madeSystem().manifest,
        }),
      ),
    ).toMatchObject({ code: 'run.ended' });
  });

  test('an entry has one run on a track, also when 20 start at once', async () => {
    const { member, team } = await newContest(gateway);
    const entry = await json(
      call(member.token, 'POST', '/entries', { team, season: 'pocket', agent: 'Second', agentHarness: null }),
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(member.token, 'POST', `/entries/${entry.id}/runs`, { track: 'wordmath' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    await expect(newRun(gateway, member, entry.id)).rejects.toThrow('run.exists');
  });

  test('unknown seasons and tracks are refused with the known ones', async () => {
    const { member, team, entry } = await newContest(gateway);
    expect(
      (
        await json(
          call(member.token, 'POST', '/entries', { team, season: 'nowhere', agent: 'A', agentHarness: null }),
        )
      ).detail,
    ).toContain('pocket');
    expect(
      (await json(call(member.token, 'POST', `/entries/${entry}/runs`, { track: 'chess' }))).detail,
    ).toContain('wordmath');
  });
});
