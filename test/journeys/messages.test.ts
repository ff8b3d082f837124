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
import { orderSchema } from '@vtb/protocol/messages/order.ts';
import { type Report, reportSchema } from '@vtb/protocol/messages/report.ts';
import { type MessageKind, type SigningKey, seal } from '@vtb/protocol/messages/sealing.ts';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { courierToken, readSigningKey } from '../service/courierToken.ts';
import { type Service, startService } from '../service/service.ts';
import { newTeam, type Submitted, submissionOf, submitSystem, type Team } from '../service/team.ts';

/**
 * Orders and reports of two finals, A and B, held up between the zones: the courier stands still, and the test carries,
 * swaps and alters what lies in the spool and what is posted to the airlock, with the real keys where that is worse.
 */
let service: Service;
let team: Team;
let spool: Spool;
let keys: Readonly<Record<'gateway' | 'token' | 'grader' | 'foreign', SigningKey>>;
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

const flip = (text: string, at: number) =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
const partsOf = (jws: string) => {
  const [header = '', payload = '', signature = ''] = jws.split('.');
  return { header, payload, signature };
};
const cut = (jws: string, share: number) => jws.slice(0, Math.floor(jws.length * share));
/** Another payload under the same header and signature. */
const mixed = (one: string, other: string) => {
  const { header, payload } = partsOf(one);
  return `${header}.${payload}.${partsOf(other).signature}`;
};
const unsigned = (jws: string, typ: string) =>
  `${Buffer.from(JSON.stringify({ alg: 'none', typ })).toString('base64url')}.${partsOf(jws).payload}.`;
const signedAs = (kid: string, key: SigningKey): SigningKey => ({ ...key, kid });

describe('an order in the inbox', { timeout: 60_000 }, () => {
  const taken = async () => {
    const [row] = await service.sql.vault`
      SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT max(number)::int FROM feed_messages) AS feed,
             (SELECT count(*)::int FROM alarms) AS alarms`;
    return { orders: row?.orders, feed: row?.feed, alarms: row?.alarms };
  };
  const payload = () => orderSchema.parse(decodeJwt(orders.a));

  test.each<[string, () => string | Promise<string>]>([
    ['altered in its payload', () => flip(orders.a, orders.a.indexOf('.') + 40)],
    ['altered in its signature', () => flip(orders.a, orders.a.lastIndexOf('.') + 10)],
    ['cut by one character', () => orders.a.slice(0, -1)],
    ['cut in half', () => cut(orders.a, 0.5)],
    ['emptied', () => ''],
    ['with another order’s signature', () => mixed(orders.a, orders.b)],
    ['swapped with the next one', () => orders.b],
    ['replaced by the message before it, replayed', () => orders.before],
    ['not signed at all (alg none)', () => unsigned(orders.a, 'vtb-order+jws')],
    ['signed by a foreign key', () => seal('order', payload(), keys.foreign)],
    [
      'signed by a foreign key under the gateway’s key id',
      () => seal('order', payload(), signedAs(keys.gateway.kid, keys.foreign)),
    ],
    ['signed by the grader itself', () => seal('order', payload(), keys.grader)],
    ['signed by the gateway’s key for tokens', () => seal('order', payload(), keys.token)],
    ['sealed as a cancel by the gateway’s own key', () => seal('cancel', payload(), keys.gateway)],
    ['sealed as a report by the gateway’s own key', () => seal('report', payload(), keys.gateway)],
    [
      'that follows another message than was taken in, by the gateway’s own key',
      () => seal('order', { ...payload(), previous: 'ab'.repeat(32) }, keys.gateway),
    ],
    [
      'for another receiver, by the gateway’s own key',
      () => seal('order', { ...payload(), aud: 'vtb-gateway' }, keys.gateway),
    ],
    [
      'with a member that no order has, by the gateway’s own key',
      () => seal('order', { ...payload(), note: 'x' }, keys.gateway),
    ],
  ])('%s is refused and changes nothing', async (_, make) => {
    const before = await taken();
    const text = await make();
    await enterMessage('inbox', feedId(number), { 'message.jws': text }, spool);
    await refusedWith(text);
    await service.until('the alarm', async () => (await taken()).alarms === before.alarms + 1);
    expect(await taken()).toEqual({ ...before, alarms: before.alarms + 1 });
  });

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

describe('a report', { timeout: 60_000 }, () => {
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
  const signed = (change: (report: Report) => unknown, kind: MessageKind = 'report') =>
    seal(kind, change(payloadOf(envelopes.a.report)), keys.grader);
  type Scored = Extract<Report['result'], { kind: 'scored' }>;
  const rescored = (change: (result: Scored) => unknown) =>
    signed((report) => {
      if (report.result.kind !== 'scored') throw new Error('the report has no score');
      return { ...report, result: change(report.result) };
    });
  const metric = (change: object) =>
    rescored((result) => ({ ...result, metrics: result.metrics.map((one) => ({ ...one, ...change })) }));

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

  test.each<[string, () => string | Promise<string>]>([
    ['altered in its payload', () => flip(envelopes.a.report, envelopes.a.report.indexOf('.') + 40)],
    ['altered in its signature', () => flip(envelopes.a.report, envelopes.a.report.lastIndexOf('.') + 10)],
    ['cut by one character', () => envelopes.a.report.slice(0, -1)],
    ['cut in half', () => cut(envelopes.a.report, 0.5)],
    ['with another report’s signature', () => mixed(envelopes.a.report, envelopes.b.report)],
    ['not signed at all (alg none)', () => unsigned(envelopes.a.report, 'vtb-report+jws')],
    ['signed by a foreign key', () => seal('report', payloadOf(envelopes.a.report), keys.foreign)],
    [
      'signed by a foreign key under the grader’s key id',
      () => seal('report', payloadOf(envelopes.a.report), signedAs(keys.grader.kid, keys.foreign)),
    ],
    ['signed by the gateway itself', () => seal('report', payloadOf(envelopes.a.report), keys.gateway)],
    ['sealed as a notice', () => signed((report) => report, 'notice')],
    ['for another order’s submission', () => signed((r) => ({ ...r, submission: b.submission }))],
    ['for another order', () => signed((r) => ({ ...r, order: payloadOf(envelopes.b.report).order }))],
    ['that answers another order text', () => signed((r) => ({ ...r, orderDigest: 'ab'.repeat(32) }))],
    ['of another grading number', () => signed((r) => ({ ...r, gradingNumber: 2 }))],
    ['of another system', () => signed((r) => ({ ...r, system: 'ab'.repeat(32) }))],
    ['of another split', () => signed((r) => ({ ...r, split: 'ab'.repeat(32) }))],
    ['under other settings', () => signed((r) => ({ ...r, settings: 'ab'.repeat(32) }))],
    ['for another purpose', () => signed((r) => ({ ...r, purpose: 'validation' }))],
    ['that calls the split visible', () => signed((r) => ({ ...r, hidden: false }))],
    [
      'with an attachment of a hidden split',
      () => signed((r) => ({ ...r, attachments: [{ sha256: 'ab'.repeat(32), size: 9, kind: 'trials' }] })),
    ],
    ['with fewer tasks than the split', () => metric({ n: 9 })],
    ['with more trials than the track', () => metric({ k: 3 })],
    ['with more successes than trials', () => metric({ sumC: 21, sumC2: 42 })],
    ['with an interval that doesn’t follow from its sums', () => metric({ low: 0.123456789 })],
    [
      'with totals finer than two figures',
      () => rescored((r) => ({ ...r, totals: { ...r.totals, generatedTokens: 1_234 } })),
    ],
    ['with a text of its own', () => rescored((r) => ({ ...r, note: 'x' }))],
  ])('%s is refused and changes nothing', async (_, make) => {
    const before = await kept();
    const answer = await post('/reports', { ...envelopes.a, report: await make() });
    expect(answer.status).toBe(422);
    expect(answer.body.code).toMatch(/^(message|request)\.invalid$/);
    expect(await kept()).toBe(before);
  });

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
    const other = await signed((r) => ({
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
