import { testDatabase } from '@vtb/db/testDatabase.ts';
import { latestAlarms } from '@vtb/db/vault/alarms.ts';
import { cosignedLog } from '@vtb/db/vault/logs.ts';
import { reportOf } from '@vtb/db/vault/outgoing.ts';
import { activeSplits } from '@vtb/db/vault/splits.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { treeHeadSchema } from '@vtb/protocol/messages/checkpoint.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { leafHash, treeRoot } from '@vtb/protocol/messages/merkle.ts';
import { noticeSchema } from '@vtb/protocol/messages/notice.ts';
import { publicHalf, seal, unseal } from '@vtb/protocol/messages/sealing.ts';
import { beforeAll, expect, test } from 'vitest';
import { gradeOnce } from '../grade.ts';
import { type TestEnclave, testEnclave, testSystem } from '../testKit.ts';

const database = await testDatabase('vault');
let at: TestEnclave;
const leaves: string[] = [];
const instant = '2026-12-01T12:00:00.000Z';

beforeAll(async () => {
  at = await testEnclave(database.url);
});

const record = async () => {
  const splits = (await activeSplits(at.enclave.db)).map(({ track, purpose, digest: split, commitment }) => ({
    track,
    purpose,
    split,
    commitment,
  }));
  return {
    kind: 'season',
    season: 'pocket',
    definition: sha256Hex('toml'),
    gatewayKeys: [publicHalf(at.gatewayKey)],
    graderKeys: [publicHalf(at.enclave.signingKey)],
    splits,
    at: instant,
  };
};

/** Sends a checkpoint over `all` leaves as if `oldSize` had been signed; `changes` make it wrong. */
async function send(
  all: readonly string[],
  oldSize: number,
  changes: { head?: Record<string, unknown>; key?: typeof at.gatewayKey; leaves?: readonly string[] } = {},
) {
  const head = {
    v: 1,
    aud: 'vtb-public',
    log: sha256Hex(all[0] ?? ''),
    size: all.length,
    root: treeRoot(all.map(leafHash)),
    ...changes.head,
  };
  const payload = {
    season: 'pocket',
    oldSize,
    leaves: changes.leaves ?? all.slice(oldSize),
    head: await seal('treeHead', head, changes.key ?? at.gatewayKey),
    ranked: [],
    at: instant,
  };
  await at.feed.arrive(await at.feed.sign('checkpoint', payload));
  await gradeOnce({ number: 0 }, at.enclave);
  const signed = await cosignedLog('pocket', at.enclave.db);
  const alarms = await latestAlarms(50, at.enclave.db);
  return { size: signed?.size ?? 0, alarm: alarms[0]?.code, alarms: alarms.length };
}

const withdrawal = (n: number) =>
  canonicalJson({
    kind: 'withdrawal',
    season: 'pocket',
    track: 'wordmath',
    submission: `sub_${String.fromCharCode(97 + n).repeat(20)}`,
    at: instant,
  });

test('leaf 0 that pins a split or a grader key that is not ours is not cosigned', async () => {
  const good = await record();
  const pins = good.splits.map((pin) => ({ ...pin, commitment: sha256Hex('another') }));
  for (const wrong of [
    { ...good, splits: pins },
    { ...good, graderKeys: [publicHalf(at.gatewayKey)] },
    { ...good, season: 'elsewhere' },
  ]) {
    expect(await send([canonicalJson(wrong)], 0)).toMatchObject({ size: 0, alarm: 'log.inconsistent' });
  }
  expect(await send([withdrawal(0)], 0)).toMatchObject({ size: 0 });
});

test('a log that only grows is cosigned, with the same head', async () => {
  leaves.push(canonicalJson(await record()));
  expect(await send(leaves, 0)).toMatchObject({ size: 1 });
  leaves.push(withdrawal(0), withdrawal(1));
  expect(await send(leaves, 1)).toMatchObject({ size: 3 });
  const keys = { [at.enclave.signingKey.kid]: publicHalf(at.enclave.signingKey) };
  const rows = await database.sql`SELECT message FROM outgoing WHERE kind = 'notice'`;
  const notices = await Promise.all(
    rows.map(async ({ message }) => (await unseal('notice', message, noticeSchema, keys)).payload),
  );
  const cosigned = notices.flatMap((notice) => (notice.kind === 'cosignature' ? [notice] : []));
  expect(cosigned.map((notice) => notice.size).sort()).toEqual([1, 3]);
  const last = cosigned.find((notice) => notice.size === 3);
  const head = (await unseal('treeHead', last?.head ?? '', treeHeadSchema, keys)).payload;
  expect(head.root).toBe(treeRoot(leaves.map(leafHash)));
});

test('the same checkpoint again is answered again and moves nothing', async () => {
  const before = await database.sql`SELECT 1 FROM outgoing`;
  const told = await send(leaves, 1);
  expect(told.size).toBe(3);
  expect((await database.sql`SELECT 1 FROM outgoing`).length).toBe(before.length + 1);
});

test('another root for a signed size is never cosigned, and is named for what it is', async () => {
  const [first = ''] = leaves;
  const forked = [first, withdrawal(2), withdrawal(3)];
  expect(await send(forked, 1)).toMatchObject({ size: 3, alarm: 'log.equivocation' });
});

test('a shrunk, rewritten, foreign or misstated log is not cosigned', async () => {
  const [first = '', ...rest] = leaves;
  const longer = [...leaves, withdrawal(4)];
  expect(await send([first], 0)).toMatchObject({ size: 3, alarm: 'log.inconsistent' });
  expect(await send([first, withdrawal(5), ...rest], 3)).toMatchObject({ size: 3 });
  expect(await send([withdrawal(5), ...longer.slice(1)], 3)).toMatchObject({ size: 3 });
  expect(await send(longer, 2)).toMatchObject({ size: 3 });
  expect(await send(longer, 3, { head: { size: 5 } })).toMatchObject({ size: 3 });
  expect(await send(longer, 3, { head: { root: sha256Hex('x') } })).toMatchObject({ size: 3 });
  expect(await send(longer, 3, { key: await newSigningKey() })).toMatchObject({ size: 3 });
  expect(await send(longer, 3, { key: at.enclave.signingKey })).toMatchObject({ size: 3 });
});

test('a report is cosigned only when it was made here, on a final, under what its order says', async () => {
  const orders = new Map<string, { order: Awaited<ReturnType<typeof at.feed.order>>; report: string }>();
  for (const purpose of ['final', 'validation'] as const) {
    const order = await at.feed.sendOrder(testSystem(purpose), purpose, { split: sha256Hex('x') });
    await gradeOnce({ number: 0 }, at.enclave);
    const report = (await reportOf(order.order, at.enclave.db))?.digest ?? '';
    orders.set(purpose, { order, report });
  }
  const publication = (purpose: string, changes: Record<string, unknown> = {}) => {
    const of = orders.get(purpose);
    if (of === undefined) throw new Error('the order was reported');
    const { submission, grading, gradingNumber, system, track } = of.order;
    const leaf = { kind: 'publication', season: 'pocket', track, entry: `ent_${'a'.repeat(20)}` };
    const said = { submission, grading, gradingNumber, system, report: of.report, at: instant };
    return canonicalJson({ ...leaf, ...said, ...changes });
  };
  const other = orders.get('validation')?.order;
  for (const changes of [
    { report: sha256Hex('forged') },
    { track: 'another' },
    { submission: other?.submission },
    { grading: other?.grading },
    { gradingNumber: 2 },
    { system: other?.system },
  ]) {
    const told = await send([...leaves, publication('final', changes)], 3);
    expect(told, JSON.stringify(changes)).toMatchObject({ size: 3, alarm: 'log.inconsistent' });
  }
  expect(await send([...leaves, publication('validation')], 3)).toMatchObject({ size: 3 });
  expect(await send([...leaves, publication('final')], 3)).toMatchObject({ size: 4 });
});
