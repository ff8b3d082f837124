import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  dropMessage,
  enterMessage,
  feedId,
  hasMessage,
  listMessages,
  readMessage,
  type Spool,
} from '@vtb/grader/spool.ts';
import { chunkPath, chunksOf } from '@vtb/grader/spoolChunks.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { type Report, reportSchema } from '@vtb/protocol/messages/report.ts';
import { seal } from '@vtb/protocol/messages/sealing.ts';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { courierToken, readSigningKey } from '../service/courierToken.ts';
import { type ForgingKeys, flip, forgedOrders, forgedReports, resigned } from '../service/forgedMessages.ts';
import { type Service, startService } from '../service/service.ts';
import { newTeam, type Submitted, submissionOf, submitSystem, type Team } from '../service/team.ts';

// Two finals, A and B, held up between the zones: the courier stands still, and the test carries, swaps and alters what
// lies in the spool and what is posted to the airlock, with the real keys where that is worse.
let service: Service;
let team: Team;
let spool: Spool;
let keys: ForgingKeys;
let a: Submitted;
let b: Submitted;
/** The feed's number of order A; B is the next. */
let number = 0;
const orders = { a: '', b: '', before: '' };

beforeAll(async () => {
  service = await startService();
  spool = { root: join(service.dataDir, 'spool') };
  const at = (path: string) => readSigningKey(join(service.dataDir, path));
  keys = {
    gateway: await at('gateway/keys/signing.json'),
    token: await at('gateway/keys/token.json'),
    grader: await at('grader/keys/signing.json'),
    foreign: await newSigningKey(),
  };
  team = await newTeam('Messages', service);
  await service.pause('grader');
  a = await submitSystem({ agent: 'A', system: 'tuned', purpose: 'final' }, team);
  number = await orderNumberOf(a);
  b = await submitSystem({ agent: 'B', system: 'tuned', purpose: 'final' }, team);
  expect(await orderNumberOf(b)).toBe(number + 1);
  await service.until('both orders in the inbox', () => hasMessage('inbox', feedId(number + 1), spool));
  await service.pause('courier');
  orders.a = await readMessage('inbox', feedId(number), 'message.jws', spool);
  orders.b = await readMessage('inbox', feedId(number + 1), 'message.jws', spool);
  orders.before = await readMessage('claimed', feedId(number - 1), 'message.jws', spool);
  for (const id of [number, number + 1]) await dropMessage('inbox', feedId(id), spool);
  await service.resume('grader');
}, 200_000);
afterAll(() => service?.stop());

async function orderNumberOf({ submission }: Submitted): Promise<number> {
  const find = () => service.sql.public`
    SELECT feed.number FROM feed JOIN gradings ON gradings."order" = feed."order"
    WHERE gradings.submission = ${submission}`;
  await service.until('the order', async () => (await find()).length > 0);
  const [row] = await find();
  return Number(row?.number);
}

describe('an order in the inbox', { timeout: 120_000 }, () => {
  const taken = async () => {
    const [row] = await service.sql.vault`
      SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT max(number)::int FROM feed_messages) AS feed,
             (SELECT count(*)::int FROM alarms) AS alarms`;
    return { orders: row?.orders, feed: row?.feed, alarms: row?.alarms };
  };

  test.each(forgedOrders(() => ({ ...orders, keys })))(
    '%s is refused and changes nothing',
    async (_, make) => {
      const before = await taken();
      const text = await make();
      await enterMessage('inbox', feedId(number), { 'message.jws': text }, spool);
      await refusedWith(text);
      await service.until('the alarm', async () => (await taken()).alarms === before.alarms + 1);
      expect(await taken()).toEqual({ ...before, alarms: before.alarms + 1 });
    },
  );

  test.each<[string, (path: string, real: string) => Promise<void>]>([
    ['a link', (path, real) => symlink(real, path)],
    ['a second name of a file', (path, real) => link(real, path)],
    ['a pipe', async (path) => void execFileSync('mkfifo', [path])],
  ])('whose file is %s is refused without being opened', async (_, make) => {
    const before = await taken();
    const real = join(service.dataDir, 'spool', 'real.jws');
    await writeFile(real, orders.a);
    const folder = join(spool.root, 'chunks/.new', randomUUID());
    await mkdir(folder);
    await make(join(folder, 'message.jws'), real);
    execFileSync('mv', ['-T', folder, join(spool.root, 'inbox', feedId(number))]);
    await service.until('the refusal', async () => (await taken()).alarms === before.alarms + 1);
    expect(await taken()).toMatchObject({ orders: before.orders, feed: before.feed });
    expect(await hasMessage('refused', feedId(number), spool)).toBe(true);
    await rm(real);
  });

  test('is taken once when the right ones come, and a replay of it is dropped or refused', async () => {
    const before = await taken();
    await enterMessage('inbox', feedId(number + 1), { 'message.jws': orders.b }, spool);
    await enterMessage('inbox', feedId(number), { 'message.jws': orders.a }, spool);
    await service.until('both orders', async () => (await taken()).feed === number + 1);
    expect((await taken()).orders).toBe(before.orders + 2);
    await enterMessage('inbox', feedId(number), { 'message.jws': orders.a }, spool);
    await service.until(
      'the replay dropped',
      async () => !(await hasMessage('inbox', feedId(number), spool)),
    );
    const other = flip(orders.a, orders.a.indexOf('.') + 40);
    await enterMessage('inbox', feedId(number), { 'message.jws': other }, spool);
    await refusedWith(other);
    expect(await taken()).toMatchObject({ orders: before.orders + 2, feed: number + 1 });
  });

  async function refusedWith(text: string): Promise<void> {
    const isThere = async () =>
      !(await hasMessage('inbox', feedId(number), spool)) &&
      (await readMessage('refused', feedId(number), 'message.jws', spool)) === text;
    await service.until('the refusal', isThere);
  }
});

describe('a report', { timeout: 120_000 }, () => {
  interface Envelope {
    readonly report: string;
    readonly maintainers: string;
  }
  const envelopes: { a: Envelope; b: Envelope } = {
    a: { report: '', maintainers: '' },
    b: { report: '', maintainers: '' },
  };
  const idOf = ({ report }: Envelope) => payloadOf(report).id;
  const payloadOf = (jws: string): Report => reportSchema.parse(decodeJwt(jws));
  const post = async (path: string, body: unknown, token?: string) => {
    const response = await fetch(`${service.url}/api/v1/airlock${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token ?? (await courierToken(service.dataDir))}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const kept = () =>
    service.sql.public`
    SELECT id, state, report, result, leaf FROM gradings ORDER BY id`.then((rows) => JSON.stringify(rows));
  beforeAll(async () => {
    await service.until(
      'both reports in the outbox',
      async () => (await reportsIn('outbox')).length === 2,
      180_000,
    );
    for (const id of await reportsIn('outbox')) {
      const envelope = {
        report: await readMessage('outbox', id, 'message.jws', spool),
        maintainers: await readMessage('outbox', id, 'maintainers.jwe', spool),
      };
      envelopes[payloadOf(envelope.report).submission === a.submission ? 'a' : 'b'] = envelope;
    }
  }, 200_000);

  const reportsIn = async (folder: 'outbox' | 'sent' | 'refused') =>
    (await listMessages(folder, spool)).filter((id) => id.startsWith('rep_'));

  test.each(forgedReports(() => ({ a: envelopes.a.report, b: envelopes.b.report, keys })))(
    '%s is refused and changes nothing',
    async (_, make) => {
      const before = await kept();
      const answer = await post('/reports', { ...envelopes.a, report: await make() });
      expect(answer.status).toBe(422);
      expect(answer.body.code).toMatch(/^(message|request)\.invalid$/);
      expect(await kept()).toBe(before);
    },
  );

  test('with another report’s maintainers’ part is refused', async () => {
    const before = await kept();
    const swapped = { report: envelopes.a.report, maintainers: envelopes.b.maintainers };
    expect((await post('/reports', swapped)).status).toBe(422);
    expect(await kept()).toBe(before);
  });

  test('from anybody but the courier is refused', async () => {
    const before = await kept();
    expect((await post('/reports', envelopes.a, 'nonsense')).status).toBe(401);
    expect(
      (await post('/reports', envelopes.a, await courierToken(service.dataDir, keys.foreign))).status,
    ).toBe(401);
    expect((await post('/reports', envelopes.a, team.token)).status).toBe(403);
    expect((await post('/reports', envelopes.a, service.ownerToken)).status).toBe(403);
    expect(await kept()).toBe(before);
  });

  test('altered in the outbox is put aside by the courier, while the other one is delivered', async () => {
    const id = idOf(envelopes.a);
    const altered = flip(envelopes.a.report, envelopes.a.report.indexOf('.') + 40);
    await writeFile(join(spool.root, 'outbox', id, 'message.jws'), altered);
    await service.resume('courier');
    await service.until('the refusal', () => hasMessage('refused', id, spool));
    await service.until('the delivery', () => hasMessage('sent', idOf(envelopes.b), spool));
    const [row] = await service.sql.public`SELECT report FROM gradings WHERE submission = ${a.submission}`;
    expect(row?.report).toBeNull();
  });

  test('is accepted when the right one comes, once however often it comes, and no other after it', async () => {
    const id = idOf(envelopes.a);
    const files = { 'message.jws': envelopes.a.report, 'maintainers.jwe': envelopes.a.maintainers };
    await dropMessage('refused', id, spool);
    await enterMessage('outbox', id, files, spool);
    await service.until('the delivery', () => hasMessage('sent', id, spool));
    for (const { submission } of [a, b]) {
      const published = async () => (await submissionOf(submission, team)).state === 'published';
      await service.until('the publication', published);
    }
    const before = await kept();
    expect(await post('/reports', envelopes.a)).toEqual({
      status: 200,
      body: { accepted: true, again: true },
    });
    await dropMessage('sent', id, spool);
    await enterMessage('outbox', id, files, spool);
    await service.until('the second delivery', () => hasMessage('sent', id, spool));
    const other = await resigned(envelopes.a.report, keys.grader, (r) => ({
      ...r,
      id: r.id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
    }));
    expect((await post('/reports', { ...envelopes.a, report: other })).body.code).toBe('message.conflict');
    expect(await kept()).toBe(before);
    const leaves = await service.sql.public`
      SELECT text FROM log_leaves WHERE text LIKE '%"kind":"publication"%' ORDER BY index`;
    const published = leaves.map(({ text }) => JSON.parse(text).submission).sort();
    expect(published).toEqual([a.submission, b.submission].sort());
  });

  test('beside it notices are held to the same: replayed, altered, contradicting, telling trials of a hidden split', async () => {
    const noticeIds = (await listMessages('sent', spool)).filter((id) => id.startsWith('not_'));
    const texts = await Promise.all(noticeIds.map((id) => readMessage('sent', id, 'message.jws', spool)));
    const [progress] = texts.filter((text) => decodeJwt(text).kind === 'progress');
    const [cosignature] = texts.filter((text) => decodeJwt(text).kind === 'cosignature');
    if (progress === undefined || cosignature === undefined)
      throw new Error('no notice of both kinds was sent');
    expect((await post('/notices', { notice: progress })).body).toEqual({ accepted: true, again: true });
    const changed = (jws: string, change: object) =>
      seal('notice', { ...decodeJwt(jws), ...change }, keys.grader);
    const fresh = `not_${'a'.repeat(20)}`;
    const otherSize = decodeJwt(cosignature).size === 1 ? 2 : 1;
    const refused: readonly (readonly [string, number])[] = [
      [flip(progress, progress.indexOf('.') + 40), 422],
      [await changed(progress, { attempt: 2 }), 409],
      [await changed(progress, { id: fresh, trials: { done: 1, total: 20 } }), 422],
      [await changed(progress, { id: fresh, order: `ord_${'a'.repeat(20)}` }), 422],
      [await seal('notice', { ...decodeJwt(progress), id: fresh }, keys.gateway), 422],
      [await changed(cosignature, { id: fresh, size: otherSize }), 422],
      [await changed(cosignature, { id: fresh, head: flip(String(decodeJwt(cosignature).head), 300) }), 422],
    ];
    for (const [notice, status] of refused) expect((await post('/notices', { notice })).status).toBe(status);
  });
});

describe('a chunk in the spool', { timeout: 200_000 }, () => {
  test('that was swapped for other bytes never reaches an engine: the order fails as ours and is done again with the right ones', async () => {
    await service.pause('grader');
    const c = await submitSystem({ agent: 'C', system: 'initial', purpose: 'final' }, team);
    const at = await orderNumberOf(c);
    await service.until('the order in the inbox', () => hasMessage('inbox', feedId(at), spool));
    const [chunk] = await service.sql.public`
      SELECT sha256 FROM submission_chunks WHERE submission = ${c.submission} AND sha256 NOT IN
      (SELECT sha256 FROM submission_chunks WHERE submission = ${a.submission}) ORDER BY size DESC LIMIT 1`;
    const path = chunkPath(chunksOf(spool), chunk?.sha256);
    const bytes = await readFile(path);
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    await writeFile(path, bytes);
    await service.resume('grader');
    await service.until(
      'the publication',
      async () => (await submissionOf(c.submission, team)).state === 'published',
      150_000,
    );
    const { gradings } = await submissionOf(c.submission, team);
    expect(gradings.map(({ number: place, cause, state }) => [place, cause, state])).toEqual([
      [1, 'first', 'failed'],
      [2, 'retry', 'reported'],
    ]);
    expect(await readdir(join(spool.root, 'outbox'))).toEqual([]);
  });
});
