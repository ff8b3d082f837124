import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { reportOf } from '@vtb/db/vault/outgoing.ts';
import { activeSplit } from '@vtb/db/vault/splits.ts';
import { trialsOf } from '@vtb/db/vault/trials.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { noticeSchema } from '@vtb/protocol/messages/notice.ts';
import { maintainersPartSchema, reportSchema } from '@vtb/protocol/messages/report.ts';
import { publicHalf, unseal } from '@vtb/protocol/messages/sealing.ts';
import { trialFeedbackSchema } from '@vtb/protocol/wire/submissions.ts';
import { compactDecrypt, importJWK } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { gradeOnce } from './grade.ts';
import { flushOutgoing } from './orders/flushOutgoing.ts';
import { sweepFiles } from './orders/sweepFiles.ts';
import { dropMessage, listMessages, moveMessage, readMessage } from './spool.ts';
import { type TestEnclave, testEnclave, testSystem } from './testKit.ts';
import { type TestRunner, testDesk } from './testKitRunner.ts';
import { openSplit, trialSeed } from './vault/splitVault.ts';

const database = await testDatabase('vault');
let at: TestEnclave;
let runner: TestRunner;
const said = { number: 0 };
const grade = () => gradeOnce(said, at.enclave);

beforeAll(async () => {
  at = await testEnclave(database.url);
  runner = await testDesk(at.enclave).enrol();
});

const tasksOf = async (purpose: 'validation' | 'final') => {
  const split = await activeSplit({ season: 'pocket', track: 'wordmath', purpose }, at.enclave.db);
  if (split === undefined) throw new Error('the vault is filled');
  return openSplit(split, at.enclave.vault);
};

const solver = async (purpose: 'validation' | 'final') => {
  const answers = new Map((await tasksOf(purpose)).map((task) => [task.problem, task.answer]));
  return (problem: string) => `Thinking about "${problem}". The answer is \\boxed{${answers.get(problem)}}.`;
};

const reportFor = async (order: string) => {
  const row = await reportOf(order, at.enclave.db);
  if (row === undefined) throw new Error('there is no report');
  const keys = { [at.enclave.signingKey.kid]: publicHalf(at.enclave.signingKey) };
  return { row, report: (await unseal('report', row.message, reportSchema, keys)).payload };
};

async function filesUnder(folder: string): Promise<Map<string, Buffer>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const)));
}

describe('a hidden grading', () => {
  test('goes from signed order to signed report, and says nothing but the score', async () => {
    const order = await at.feed.sendOrder(testSystem('hidden one'), 'final');
    await grade();
    const solve = await solver('final');
    const [wrong] = await tasksOf('final');
    const replay = await runner.work((problem) =>
      problem === wrong?.problem ? 'I give up: \\boxed{-1}' : solve(problem),
    );
    expect(replay.settings).toBe(order.settings);
    await grade();

    const { row, report } = await reportFor(order.order);
    expect(report.hidden).toBe(true);
    expect(report.attachments).toEqual([]);
    expect(report.orderDigest).toBe(sha256Hex(at.feed.texts[0] ?? ''));
    if (report.result.kind !== 'scored') throw new Error(JSON.stringify(report.result));
    expect(report.result.metrics).toMatchObject([{ name: 'avg@2', n: 10, k: 2, sumC: 18, sumC2: 36 }]);
    expect(report.result.totals).toEqual({
      promptTokens: 220,
      cachedTokens: null,
      generatedTokens: 140,
      replayHours: 1,
    });
    expect(report.result.flags).toEqual([]);
    expect(sha256Hex(row.maintainers ?? '')).toBe(report.maintainersPart);
    expect(await listMessages('outbox', at.enclave.spool)).toContain(report.id);
  });

  test('leaves no text of a task or an output in any file, message, log or column', async () => {
    const texts = (await tasksOf('final')).map((task) => task.problem);
    for (const [file, bytes] of await filesUnder(at.root)) {
      expect(texts.filter((text) => bytes.includes(text)).map(() => file)).toEqual([]);
    }
    expect(texts.filter((text) => at.logged.some((line) => line.includes(text)))).toEqual([]);
    const tables =
      await database.sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`;
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const rows = await database.sql`SELECT t::text AS row FROM ${database.sql(name)} t`;
      const plain = rows.map(({ row }) => row + Buffer.from(row, 'utf8').toString('latin1')).join('\n');
      // A bytea column prints as hex, so its text is searched for as hex too.
      const hex = (text: string) => Buffer.from(text).toString('hex');
      expect(
        texts.filter((text) => plain.includes(text) || plain.includes(hex(text))),
        name,
      ).toEqual([]);
    }
    const [row] = await database.sql`SELECT outcome FROM trials WHERE outcome IS NOT NULL LIMIT 1`;
    expect(row?.outcome.length).toBeGreaterThan(100);
  });

  test('tells progress without counts of trials', async () => {
    const keys = { [at.enclave.signingKey.kid]: publicHalf(at.enclave.signingKey) };
    const notices = await Promise.all(
      (await listMessages('outbox', at.enclave.spool))
        .filter((id) => id.startsWith('not_'))
        .map(
          async (id) =>
            (
              await unseal(
                'notice',
                await readMessage('outbox', id, 'message.jws', at.enclave.spool),
                noticeSchema,
                keys,
              )
            ).payload,
        ),
    );
    const progress = notices.filter((notice) => notice.kind === 'progress');
    expect(new Set(progress.map((notice) => notice.state))).toEqual(new Set(['accepted']));
    expect(progress.map((notice) => notice.trials)).toEqual(progress.map(() => null));
    expect(notices.filter((notice) => notice.kind === 'runners')).toHaveLength(1);
  });

  test('gives the maintainers a part that only their key opens, of one size whatever is in it', async () => {
    const order = await at.feed.sendOrder(testSystem('no chunks'), 'validation', {
      split: sha256Hex('another'),
    });
    await grade();
    const failed = await reportFor(order.order);
    const [first] =
      await database.sql`SELECT maintainers FROM outgoing WHERE kind = 'report' AND id <> ${failed.row.id}`;
    expect(failed.row.maintainers?.length).toBe(first?.maintainers.length);
    const { plaintext } = await compactDecrypt(
      failed.row.maintainers ?? '',
      await importJWK(at.maintainer.jwk, 'ECDH-ES'),
    );
    const part = maintainersPartSchema.parse(JSON.parse(new TextDecoder().decode(plaintext)));
    expect(part).toMatchObject({ order: order.order, detail: 'the vault does not hold this split' });
  });
});

describe('a visible grading', () => {
  test('gives the team every trial back as one attachment, and exact totals', async () => {
    const order = await at.feed.sendOrder(testSystem('visible one'), 'validation');
    await grade();
    await runner.work(await solver('validation'));
    await grade();
    const { report } = await reportFor(order.order);
    expect(report.hidden).toBe(false);
    const [attachment] = report.attachments;
    const lines = (await readFile(join(at.enclave.spool.root, 'chunks', attachment?.sha256 ?? ''), 'utf8'))
      .trimEnd()
      .split('\n');
    const trials = lines.map((line) => trialFeedbackSchema.parse(JSON.parse(line)));
    expect(trials.map(({ task, trial, reward }) => [task, trial, reward])).toEqual(
      ['val-1', 'val-2', 'val-3'].flatMap((task) => [0, 1].map((trial) => [task, trial, 1])),
    );
    expect(trials[0]).toMatchObject({ expected: '2', answer: '2', outcome: 'done' });
  });
});

describe('steps that are cut off', () => {
  test('a report leaves once, however often steps are repeated and wherever its message lies', async () => {
    const order = await at.feed.sendOrder(testSystem('repeated'), 'validation');
    await grade();
    await runner.work(() => '\\boxed{0}');
    await Promise.all([grade(), grade()]);
    await grade();
    const { row } = await reportFor(order.order);
    const reports = await database.sql`SELECT id FROM outgoing WHERE report_of = ${order.order}`;
    expect(reports).toHaveLength(1);
    // Killed after writing, before marking; then the courier moved it on.
    await database.sql`UPDATE outgoing SET written_at = NULL WHERE id = ${row.id}`;
    await flushOutgoing(at.enclave);
    expect((await listMessages('outbox', at.enclave.spool)).filter((id) => id === row.id)).toHaveLength(1);
    await moveMessage('outbox', 'sent', row.id, at.enclave.spool);
    await database.sql`UPDATE outgoing SET written_at = NULL WHERE id = ${row.id}`;
    await flushOutgoing(at.enclave);
    expect(await listMessages('outbox', at.enclave.spool)).not.toContain(row.id);
  });

  test('a message that was claimed but not worked is worked by the next start', async () => {
    const payload = await at.feed.order(testSystem('claimed'), 'validation');
    const message = await at.feed.sign('order', payload);
    await at.feed.arrive(message, testSystem('claimed').chunks);
    await moveMessage(
      'inbox',
      'claimed',
      `feed-${String(message.number).padStart(12, '0')}`,
      at.enclave.spool,
    );
    await grade();
    expect((await findOrder(payload.order, at.enclave.db))?.ready).toBe(true);
    expect(await trialsOf(payload.order, at.enclave.db)).toHaveLength(6);
  });

  test('planning again gives the same trials with the same seeds', async () => {
    const [open] = await database.sql`SELECT id FROM orders WHERE state = 'ordered'`;
    const before = await trialsOf(open?.id, at.enclave.db);
    await database.sql`UPDATE orders SET ready = false WHERE id = ${open?.id}`;
    await grade();
    expect(await trialsOf(open?.id, at.enclave.db)).toEqual(before);
    expect(new Set(before.map((trial) => trial.seed)).size).toBe(before.length);
  });
});

test('no order gets another sample of the same system: not by a retry, a re-grade, or another submission', async () => {
  const team = 'd'.repeat(32);
  const system = testSystem('sampled');
  const first = await at.feed.sendOrder(system, 'validation', { team });
  await grade();
  const again = { team, submission: first.submission };
  const others = [
    await at.feed.sendOrder(system, 'validation', { ...again, gradingNumber: 2, cause: 'retry' }),
    await at.feed.sendOrder(system, 'validation', { ...again, gradingNumber: 3, cause: 'regrade' }),
    await at.feed.sendOrder(system, 'validation', { team: 'c'.repeat(32) }),
  ];
  const other = await at.feed.sendOrder(testSystem('another sample'), 'validation', { team });
  await grade();
  const seeds = async ({ order }: { readonly order: string }) =>
    (await trialsOf(order, at.enclave.db)).map(({ task, trial, seed }) => [task, trial, seed]);
  const sample = await seeds(first);
  expect(sample).toHaveLength(6);
  for (const order of others) expect(await seeds(order)).toEqual(sample);
  expect(await seeds(other)).not.toEqual(sample);
  const place = { system: system.digest, split: first.split, task: sha256Hex('task'), trial: 0 };
  expect(trialSeed(place, { key: randomBytes(32) })).not.toBe(trialSeed(place, at.enclave.vault));
  await database.sql`UPDATE orders SET state = 'cancelled' WHERE id IN ${database.sql([first, ...others, other].map(({ order }) => order))}`;
});

describe('orders that end without a score', () => {
  test('weights that serve a trial and then break every replay are the system’s failure, not ours to try again', async () => {
    const order = await at.feed.sendOrder(testSystem('breaks'), 'final', { team: 'b'.repeat(32) });
    await grade();
    for (let replays = 1; replays <= 3; replays += 1) {
      const replay = await runner.mustLease();
      const [trial] = (await runner.claim(replay, 4)).trials;
      if (trial === undefined) throw new Error('a trial was claimed');
      await runner.answer(trial, '\\boxed{1}');
      await runner.finish(replay, { kind: 'failed', fault: 'system', cause: 'weightsUnloadable' });
      await grade();
    }
    const { result } = (await reportFor(order.order)).report;
    expect(result).toEqual({ kind: 'failed', fault: 'system', cause: 'weightsUnloadable' });
  });

  test('weights that could not be served twice are the system’s failure', async () => {
    const order = await at.feed.sendOrder(testSystem('unloadable'), 'final', { team: 'f'.repeat(32) });
    await grade();
    for (const again of [false, true]) {
      const replay = await runner.mustLease();
      expect(replay.attempt).toBe(again ? 2 : 1);
      await runner.finish(replay, { kind: 'failed', fault: 'system', cause: 'weightsUnloadable' });
      await grade();
    }
    expect((await reportFor(order.order)).report.result).toEqual({
      kind: 'failed',
      fault: 'system',
      cause: 'weightsUnloadable',
    });
  });

  test('an order whose chunks are altered or missing fails as ours, and its bytes never reach a runner', async () => {
    const system = testSystem('altered');
    const altered = new Map(
      [...system.chunks].map(([digest, bytes]) => [
        digest,
        digest === system.weights ? Buffer.from('ALTERED') : bytes,
      ]),
    );
    const payload = await at.feed.order(system, 'validation');
    await at.feed.arrive(await at.feed.sign('order', payload), altered);
    await grade();
    expect((await reportFor(payload.order)).report.result).toEqual({
      kind: 'failed',
      fault: 'ours',
      cause: 'chunks',
    });
    expect(await readdir(at.enclave.systems)).not.toContain(system.weights);
  });

  test('a cancelled order ends its leases and gets no report', async () => {
    const order = await at.feed.sendOrder(testSystem('cancelled'), 'final', { team: 'e'.repeat(32) });
    await grade();
    const replay = await runner.mustLease();
    const { trials } = await runner.claim(replay, 1);
    await at.feed.arrive(await at.feed.sign('cancel', { order: order.order, cause: 'withdrawn' }));
    await grade();
    const [trial] = trials;
    if (trial === undefined) throw new Error('a trial was claimed');
    expect((await runner.answer(trial, '\\boxed{1}')).status).toBe(409);
    expect(
      (
        await runner.ask('POST', `/replays/${replay.replay}/heartbeat`, {
          fencing: replay.fencing,
          trials: [],
        })
      ).status,
    ).toBe(409);
    expect((await findOrder(order.order, at.enclave.db))?.state).toBe('cancelled');
    expect(await reportOf(order.order, at.enclave.db)).toBeUndefined();
  });

  test('a deadline that passes fails the order as ours', async () => {
    const order = await at.feed.sendOrder(testSystem('late'), 'validation', {
      deadline: '2026-12-01T13:00:00.000Z',
    });
    await grade();
    const before = at.clock.now;
    at.clock.now = new Date('2026-12-01T13:00:01.000Z');
    await grade();
    at.clock.now = before;
    expect((await reportFor(order.order)).report.result).toEqual({
      kind: 'failed',
      fault: 'ours',
      cause: 'deadline',
    });
  });
});

test('a sweep forgets the systems of ended orders and keeps those of open ones', async () => {
  const ended = testSystem('hidden one');
  const open = testSystem('still open');
  await at.feed.sendOrder(open, 'validation');
  await grade();
  expect(await readdir(at.enclave.systems)).toContain(ended.weights);
  await sweepFiles(at.enclave);
  const left = await readdir(at.enclave.systems);
  expect(left).not.toContain(ended.weights);
  expect(left).toEqual(expect.arrayContaining([open.weights, open.digest]));
});

test('a sweep keeps the attachments of a report in the outbox, and forgets them wherever it went', async () => {
  const there = async (sha256: string) =>
    (await readdir(join(at.enclave.spool.root, 'chunks'))).includes(sha256);
  const before = at.clock.now;
  for (const went of ['sent', 'refused', 'pruned'] as const) {
    const order = await at.feed.sendOrder(testSystem(`swept ${went}`), 'validation', { priority: 10 });
    await grade();
    // Other orders of this file may still wait.
    await database.sql`UPDATE orders SET state = 'cancelled' WHERE state IN ('ordered', 'replaying') AND id <> ${order.order}`;
    await runner.work(() => `\\boxed{${went.length}}`);
    await grade();
    const { row } = await reportFor(order.order);
    const [attachment = ''] = row.attachments;
    at.clock.now = new Date(Date.now() + 10 * at.enclave.limits.spoolChunkAgeMs);
    await sweepFiles(at.enclave);
    expect([went, await there(attachment)]).toEqual([went, true]);
    await moveMessage('outbox', went === 'refused' ? 'refused' : 'sent', row.id, at.enclave.spool);
    if (went === 'pruned') await dropMessage('sent', row.id, at.enclave.spool);
    await sweepFiles(at.enclave);
    expect([went, await there(attachment)]).toEqual([went, false]);
    at.clock.now = before;
  }
});
