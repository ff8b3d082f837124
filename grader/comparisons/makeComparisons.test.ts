import { testDatabase } from '@vtb/db/testDatabase.ts';
import { latestAlarms } from '@vtb/db/vault/alarms.ts';
import { activeSplits } from '@vtb/db/vault/splits.ts';
import { canonicalJson } from '@vtb/protocol/canonicalJson.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { type Comparison, comparisonSchema } from '@vtb/protocol/messages/comparison.ts';
import { leafHash, treeRoot } from '@vtb/protocol/messages/merkle.ts';
import { publicHalf, seal, unseal } from '@vtb/protocol/messages/sealing.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { gradeOnce } from '../grade.ts';
import { listMessages, readMessage } from '../spool.ts';
import { testEnclave, testSystem } from '../testKit.ts';
import { testDesk } from '../testKitRunner.ts';

const database = await testDatabase('vault');
const at = await testEnclave(database.url);
const instant = '2026-12-01T12:00:00.000Z';
const leaves: string[] = [];
/** Gradings of finals, best first, and the hidden split they are on. */
const gradings: string[] = [];
let split = '';

const grade = () => gradeOnce({ number: 0 }, at.enclave);

/** A final that solved exactly the first `solved` of its ten tasks, in both trials. */
async function gradedFinal(name: string, solved: number): Promise<string> {
  const order = await at.feed.sendOrder(testSystem(name), 'final', { team: sha256Hex(name).slice(0, 32) });
  ({ split } = order);
  await grade();
  await (await testDesk(at.enclave).enrol()).work(() => '\\boxed{-1}');
  await database.sql`UPDATE trials SET reward = CASE WHEN task < ${solved} THEN 1 ELSE 0 END WHERE "order" = ${order.order}`;
  await grade();
  return order.grading;
}

/** Lets a checkpoint over one leaf more come that ranks these rows; says what was made of it. */
async function checkpoint(ranked: readonly (readonly string[])[], change: Record<string, unknown> = {}) {
  const oldSize = leaves.length;
  leaves.push(oldSize === 0 ? await record() : withdrawal(oldSize));
  return send(oldSize, {
    ranked: ranked.map((list) => ({ track: 'wordmath', split, gradings: list })),
    ...change,
  });
}

async function send(oldSize: number, payload: Record<string, unknown>) {
  const head = {
    v: 1,
    aud: 'vtb-public',
    log: sha256Hex(leaves[0] ?? ''),
    size: leaves.length,
    root: treeRoot(leaves.map(leafHash)),
  };
  const before = await made();
  const alarms = (await latestAlarms(50, at.enclave.db)).length;
  await at.feed.arrive(
    await at.feed.sign('checkpoint', {
      season: 'pocket',
      oldSize,
      leaves: leaves.slice(oldSize),
      head: await seal('treeHead', head, at.gatewayKey),
      at: instant,
      ...payload,
    }),
  );
  await grade();
  const now = await latestAlarms(50, at.enclave.db);
  return {
    comparisons: (await made()).filter(({ jws }) => !before.some((some) => some.jws === jws)),
    alarms: now.slice(0, now.length - alarms).map(({ code, detail }) => `${code}: ${detail}`),
  };
}

async function made(): Promise<{ readonly jws: string; readonly payload: Comparison }[]> {
  const { spool, signingKey } = at.enclave;
  const ids = (await listMessages('outbox', spool)).filter((id) => id.startsWith('cmp_'));
  return Promise.all(
    ids.map(async (id) => {
      const jws = await readMessage('outbox', id, 'message.jws', spool);
      const trusted = { [signingKey.kid]: publicHalf(signingKey) };
      return { jws, payload: (await unseal('comparison', jws, comparisonSchema, trusted)).payload };
    }),
  );
}

async function record(): Promise<string> {
  const splits = (await activeSplits(at.enclave.db)).map((row) => ({
    track: row.track,
    purpose: row.purpose,
    split: row.digest,
    commitment: row.commitment,
  }));
  return canonicalJson({
    kind: 'season',
    season: 'pocket',
    definition: sha256Hex('toml'),
    gatewayKeys: [publicHalf(at.gatewayKey)],
    graderKeys: [publicHalf(at.enclave.signingKey)],
    splits,
    at: instant,
  });
}

const withdrawal = (n: number) =>
  canonicalJson({
    kind: 'withdrawal',
    season: 'pocket',
    track: 'wordmath',
    submission: `sub_${String.fromCharCode(97 + n).repeat(20)}`,
    at: instant,
  });

beforeAll(async () => {
  for (const [name, solved] of [
    ['best', 10],
    ['good', 9],
    ['poor', 1],
  ] as const)
    gradings.push(await gradedFinal(name, solved));
}, 120_000);

describe('a cosigned checkpoint', () => {
  test('is answered by one comparison for exactly its rows, and only verdicts leave', async () => {
    const { comparisons, alarms } = await checkpoint([gradings]);
    expect(alarms).toEqual([]);
    expect(comparisons.map(({ payload }) => payload)).toEqual([
      {
        v: 1,
        aud: 'vtb-gateway',
        season: 'pocket',
        track: 'wordmath',
        split,
        logSize: 1,
        systems: gradings,
        verdicts: '=>>',
      },
    ]);
  });

  test('that ranks the same rows again is not answered again, so the round ends', async () => {
    const [{ jws } = { jws: '' }] = await made();
    leaves.push(
      canonicalJson({
        kind: 'comparison',
        season: 'pocket',
        track: 'wordmath',
        split,
        comparison: sha256Hex(jws),
        at: instant,
      }),
    );
    const ranked = [{ track: 'wordmath', split, gradings }];
    expect(await send(leaves.length - 1, { ranked })).toEqual({ comparisons: [], alarms: [] });
  });

  test('with the rows in another order is answered in that order', async () => {
    const { comparisons } = await checkpoint([gradings.toReversed()]);
    expect(comparisons.map(({ payload }) => [payload.systems, payload.verdicts])).toEqual([
      [gradings.toReversed(), '<<='],
    ]);
  });

  test('with complete rows is answered in Avg. by the test over tracks', async () => {
    const averaged = { tracks: [{ track: 'wordmath', split }], rows: gradings.map((grading) => [grading]) };
    const { comparisons, alarms } = await checkpoint([], { averaged });
    expect(alarms).toEqual([]);
    expect(comparisons.map(({ payload }) => payload)).toMatchObject([
      { track: null, split: null, systems: gradings, verdicts: '=>>' },
    ]);
  });
});

describe('a list that the vault cannot compare in full is refused loudly, and nothing of it leaves:', () => {
  const stranger = `grd_${'z'.repeat(20)}`;
  test.each([
    ['an unknown grading', () => [...gradings, stranger], /has no trials here/],
    ['a grading twice', () => [...gradings, ...gradings.slice(0, 1)], /ranked twice/],
  ])('%s', async (_what, rows, why) => {
    const { comparisons, alarms } = await checkpoint([rows()]);
    expect(comparisons).toEqual([]);
    expect(alarms).toEqual([expect.stringMatching(why)]);
    expect(alarms[0]).toMatch(/^comparison\.refused/);
  });

  test('another split', async () => {
    const visible = (await activeSplits(at.enclave.db)).find(({ hidden }) => !hidden)?.digest;
    const ranked = [{ track: 'wordmath', split: visible, gradings: gradings.slice(0, 2) }];
    const { comparisons, alarms } = await checkpoint([], { ranked });
    expect([comparisons, alarms.length]).toEqual([[], 1]);
  });

  test('trials that are gone', async () => {
    at.enclave.columns.clear();
    await database.sql`DELETE FROM trials WHERE task = 3 AND trial = 1`;
    const { comparisons, alarms } = await checkpoint([gradings.slice(0, 2)]);
    expect(comparisons).toEqual([]);
    expect(alarms).toEqual([expect.stringMatching(/has not all of its 10 × 2 trials/)]);
  });
});

test('a log that publishes a comparison which was not made here is not cosigned', async () => {
  leaves.push(
    canonicalJson({
      kind: 'comparison',
      season: 'pocket',
      track: null,
      split: null,
      comparison: sha256Hex('forged'),
      at: instant,
    }),
  );
  const { alarms } = await send(leaves.length - 1, { ranked: [] });
  expect(alarms).toEqual([expect.stringMatching(/^log\.inconsistent: publishes a comparison/)]);
});
