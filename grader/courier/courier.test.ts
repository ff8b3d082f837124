import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '@vtb/db/testDatabase.ts';
import { findOrder } from '@vtb/db/vault/orders.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { publicHalf, type SigningKey } from '@vtb/protocol/messages/sealing.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gradeOnce } from '../grade.ts';
import { sendNotice } from '../notices.ts';
import { flushOutgoing } from '../orders/flushOutgoing.ts';
import { feedId, hasMessage, listMessages, prepareSpool } from '../spool.ts';
import { type TestEnclave, type TestSystem, testEnclave, testSystem, writeTestFile } from '../testKit.ts';
import { testDesk } from '../testKitRunner.ts';
import type { Courier } from './courier.ts';
import { deliverOnce } from './deliver.ts';
import { exportFeed, exportOutbox, importFeed, importOutbox } from './drive.ts';
import { gatewayClient } from './gatewayClient.ts';
import { lastNumber, pullOnce } from './pull.ts';
import { type TestGateway, testGateway } from './testKitGateway.ts';

const database = await testDatabase('vault');
const never = new AbortController().signal;
let at: TestEnclave;
let key: SigningKey;
let gateway: TestGateway;
let courier: Courier;

beforeEach(async () => {
  await database.sql`UPDATE runners SET changed = false`;
  const { default: postgres } = await import('postgres');
  const owner = postgres(database.ownerUrl, { max: 1, onnotice: () => undefined });
  const [tables] =
    await owner`SELECT string_agg(quote_ident(table_name), ',') AS names FROM information_schema.tables WHERE table_schema = 'public'`;
  await owner.unsafe(`TRUNCATE ${tables?.names}`);
  await owner.end();
  at = await testEnclave(database.url);
  key = await newSigningKey();
  gateway = await testGateway({ [key.kid]: publicHalf(key) });
  courier = over(join(at.root, 'spool'));
});
afterEach(() => gateway.close());

const over = (spool: string): Courier => ({
  client: gatewayClient({ url: gateway.url, key, now: () => new Date() }),
  spool: { root: spool },
  now: () => new Date(),
  log: () => undefined,
});

async function orderOver(system: TestSystem, purpose: 'validation' | 'final' = 'validation') {
  const payload = await at.feed.order(system, purpose);
  const message = await at.feed.sign('order', payload);
  gateway.feed.push({ ...message, kind: 'order' });
  gateway.chunks.set(payload.order, system.chunks);
  return payload;
}

const grade = () => gradeOnce({ number: 0 }, at.enclave);

async function gradedReport(system: TestSystem) {
  const order = await orderOver(system);
  await pullOnce(0, never, courier);
  await grade();
  await (await testDesk(at.enclave).enrol()).work(() => '\\boxed{2}');
  await grade();
  return order;
}

describe('pulling', () => {
  test('brings an order’s chunks and then its message; the next call goes on from there', async () => {
    const order = await orderOver(testSystem('one'));
    gateway.intercept = async (path) => {
      if (path.includes('/chunks/')) expect(await listMessages('inbox', courier.spool)).toEqual([]);
      return undefined;
    };
    expect(await pullOnce(0, never, courier)).toBe('brought');
    expect(await listMessages('inbox', courier.spool)).toEqual([feedId(1)]);
    expect(await pullOnce(0, never, courier)).toBe('nothing');
    await grade();
    expect((await findOrder(order.order, at.enclave.db))?.ready).toBe(true);
    expect(await lastNumber(courier.spool)).toBe(1);
    expect(await pullOnce(0, never, courier)).toBe('nothing');
  });

  test('a connection that breaks between chunks loses nothing, and fetches nothing twice', async () => {
    await orderOver(testSystem('broken'));
    let asked = 0;
    gateway.intercept = (path) =>
      path.includes('/chunks/') && ++asked === 2 ? new Response(null, { status: 503 }) : undefined;
    await expect(pullOnce(0, never, courier)).rejects.toThrow('503');
    expect(await listMessages('inbox', courier.spool)).toEqual([]);
    gateway.intercept = () => undefined;
    expect(await pullOnce(0, never, courier)).toBe('brought');
    const chunks = gateway.asked.filter((path) => path.includes('/chunks/'));
    expect(chunks).toHaveLength(3);
  });

  test('bytes that are not what their digest says never lie in the spool', async () => {
    const system = testSystem('lies');
    const order = await orderOver(system);
    gateway.chunks.set(
      order.order,
      new Map(
        [...system.chunks].map(([digest, bytes]) => [
          digest,
          digest === system.weights ? Buffer.from('lies!') : bytes,
        ]),
      ),
    );
    await expect(pullOnce(0, never, courier)).rejects.toThrow(/digest|bytes/);
    expect(await readdir(join(courier.spool.root, 'chunks'))).not.toContain(system.weights);
    expect(await listMessages('inbox', courier.spool)).toEqual([]);
  });

  test('an order that is closed meanwhile does not stop the feed', async () => {
    const order = await orderOver(testSystem('closed'));
    gateway.chunks.delete(order.order);
    const cancel = await at.feed.sign('cancel', { order: order.order, cause: 'withdrawn' });
    gateway.feed.push({ ...cancel, kind: 'cancel' });
    expect(await pullOnce(0, never, courier)).toBe('brought');
    await grade();
    expect((await findOrder(order.order, at.enclave.db))?.state).toBe('cancelled');
  });

  test('a message that the grader put aside is not brought again; the right one is', async () => {
    await orderOver(testSystem('aside'));
    const [good] = gateway.feed;
    if (good === undefined) throw new Error('there is an order');
    gateway.feed[0] = { ...good, jws: `${good.jws.slice(0, -4)}AAAA` };
    await pullOnce(0, never, courier);
    await grade();
    expect(await hasMessage('refused', feedId(1), courier.spool)).toBe(true);
    expect(await pullOnce(0, never, courier)).toBe('stuck');
    gateway.feed[0] = good;
    expect(await pullOnce(0, never, courier)).toBe('brought');
    await grade();
    expect(await lastNumber(courier.spool)).toBe(1);
    expect(await hasMessage('claimed', feedId(1), courier.spool)).toBe(true);
  });

  test('a token of another key gets nothing', async () => {
    await orderOver(testSystem('token'));
    const foreign = {
      ...courier,
      client: gatewayClient({ url: gateway.url, key: await newSigningKey(), now: () => new Date() }),
    };
    await expect(pullOnce(0, never, foreign)).rejects.toThrow('401');
  });
});

describe('delivering', () => {
  test('a report, its attachments and notices move to sent when they were acknowledged, and only then', async () => {
    await gradedReport(testSystem('delivered'));
    const waiting = await listMessages('outbox', courier.spool);
    gateway.intercept = (path) =>
      path.includes('/attachments/') ? new Response(null, { status: 503 }) : undefined;
    await expect(deliverOnce(never, courier)).rejects.toThrow('503');
    const [report = ''] = waiting.filter((id) => id.startsWith('rep_'));
    expect(await listMessages('outbox', courier.spool)).toEqual([report]);
    gateway.intercept = () => undefined;
    expect(await deliverOnce(never, courier)).toBe(1);
    expect((await listMessages('sent', courier.spool)).sort()).toEqual(waiting.sort());
    expect([gateway.reports.size, gateway.attachments.size]).toEqual([1, 1]);
    expect(gateway.notices.size).toBe(waiting.length - 1);
    expect(await deliverOnce(never, courier)).toBe(0);
  });

  test('an attachment that the gateway doesn’t want any more is dropped, and holds up nothing', async () => {
    for (const status of [403, 404]) {
      await gradedReport(testSystem(`unwanted ${status}`));
      gateway.intercept = (path) =>
        path.includes('/attachments/') ? new Response(null, { status }) : undefined;
      expect(await deliverOnce(never, courier)).toBeGreaterThan(0);
      expect(await listMessages('outbox', courier.spool)).toEqual([]);
    }
    expect([gateway.reports.size, gateway.attachments.size]).toEqual([2, 0]);
  });

  test('progress arrives in the order in which it happened, before its report', async () => {
    await gradedReport(testSystem('ordered'));
    await deliverOnce(never, courier);
    const posts = gateway.asked.filter((path) => path.startsWith('POST'));
    expect(posts.at(-1)).toBe('POST /reports');
  });

  test('a message that the gateway will never take is put aside, and the others pass', async () => {
    await sendNotice({ kind: 'runners', runners: [] }, at.enclave.db, at.enclave);
    await sendNotice({ kind: 'runners', runners: [] }, at.enclave.db, at.enclave);
    await flushOutgoing(at.enclave);
    let posts = 0;
    gateway.intercept = (path) =>
      path.endsWith('/notices') && ++posts === 1
        ? Response.json({ code: 'message.conflict' }, { status: 409 })
        : undefined;
    expect(await deliverOnce(never, courier)).toBe(2);
    expect(
      [await listMessages('sent', courier.spool), await listMessages('refused', courier.spool)].map(
        (ids) => ids.length,
      ),
    ).toEqual([1, 1]);
  });
});

describe('by drive', () => {
  test('a full round trip grades an order without any network, twice carried is once done', async () => {
    const drive = await mkdtemp(join(tmpdir(), 'vtb-drive-'));
    const [system, log] = [testSystem('air gap'), () => undefined];
    const order = await orderOver(system);
    const [carried, spool] = [await prepareSpool(drive), at.enclave.spool];
    const connected = over(drive);
    await exportFeed(never, connected);
    await exportFeed(never, connected);
    expect(await listMessages('inbox', carried)).toEqual([feedId(1)]);
    await importFeed(carried, spool, log);
    await importFeed(carried, spool, log);
    await grade();
    await (await testDesk(at.enclave).enrol()).work(() => '\\boxed{2}');
    await grade();
    const waiting = await listMessages('outbox', spool);
    await exportOutbox(carried, spool, log);
    await exportOutbox(carried, spool, log);
    expect(await listMessages('outbox', spool)).toEqual(waiting);
    await importOutbox(never, connected);
    expect([gateway.reports.size, gateway.attachments.size]).toEqual([1, 1]);
    const later = await orderOver(testSystem('next'));
    await exportFeed(never, connected);
    await importFeed(carried, spool, log);
    expect(await listMessages('outbox', spool)).toEqual([]);
    expect((await listMessages('sent', spool)).sort()).toEqual(waiting.sort());
    await grade();
    expect((await findOrder(later.order, at.enclave.db))?.ready).toBe(true);
    expect((await findOrder(order.order, at.enclave.db))?.state).toBe('reported');
    expect(gateway.asked.filter((path) => path === 'POST /reports')).toHaveLength(1);
    await rm(drive, { recursive: true });
  });
});

describe('the process', () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));

  test('killed at every request, it loses and doubles nothing', async () => {
    await gradedReport(testSystem('before'));
    await orderOver(testSystem('killed'));
    await writeTestFile(join(at.root, 'courier/keys/courier.json'), JSON.stringify(key));
    const steps = [
      '/feed',
      testSystem('killed').digest,
      testSystem('killed').weights,
      '/notices',
      '/reports',
      '/attachments/',
    ];
    const left = [...steps];
    const wanted = await listMessages('outbox', courier.spool);
    let killed = 0;
    while (left.length > 0) {
      const child = spawn(process.execPath, [main], {
        env: { PATH: process.env.PATH, VTB_DATA: at.root, VTB_GATEWAY_URL: gateway.url },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      gateway.intercept = (path) => {
        const step = left.findIndex((name) => path.includes(name));
        if (step < 0) return undefined;
        left.splice(step, 1);
        killed += 1;
        child.kill('SIGKILL');
        return undefined;
      };
      await ended;
    }
    gateway.intercept = () => undefined;
    await pullOnce(0, never, courier);
    await deliverOnce(never, courier);
    expect(killed).toBe(steps.length);
    expect((await listMessages('sent', courier.spool)).sort()).toEqual(wanted.sort());
    expect([gateway.reports.size, gateway.attachments.size, gateway.notices.size]).toEqual([
      1,
      1,
      wanted.length - 1,
    ]);
    expect(await listMessages('inbox', courier.spool)).toEqual([feedId(2)]);
    await grade();
    expect(await listMessages('claimed', courier.spool)).toEqual([feedId(2)]);
  }, 120_000);
});
