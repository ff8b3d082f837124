import { auditPage } from '@vtb/db/public/auditPage.ts';
import { feedAfter } from '@vtb/db/public/feed.ts';
import { logSize } from '@vtb/db/public/log.ts';
import type { BoardTable } from '@vtb/protocol/board/table.ts';
import { sha256Hex } from '@vtb/protocol/digest.ts';
import { checkpointSchema } from '@vtb/protocol/messages/checkpoint.ts';
import type { Comparison } from '@vtb/protocol/messages/comparison.ts';
import { newSigningKey } from '@vtb/protocol/messages/keys.ts';
import { leafSchema } from '@vtb/protocol/messages/receipt.ts';
import { publicHalf, seal, unseal } from '@vtb/protocol/messages/sealing.ts';
import type { ComparisonsView } from '@vtb/protocol/wire/comparisons.ts';
import type { LogView } from '@vtb/protocol/wire/log.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { releaseFinals } from '../sweeps/releaseFinals.ts';
import { sendCheckpoints } from '../sweeps/sendCheckpoints.ts';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const enclave = testEnclave(gateway);
const { deps, clock, grader } = gateway;

async function publishFinal(solved: number): Promise<string> {
  const { id } = await enclave.queued();
  const order = await enclave.lastOrder(id);
  expect((await enclave.deliver(await enclave.report(order, scored(solved)))).status).toBe(200);
  clock.at = new Date(clock.at.getTime() + 10_000);
  expect(await releaseFinals(deps)).toBe(1);
  return order.grading;
}

/** Sends a checkpoint and lets the grader sign it; what it asked for, with the log's size. */
async function signed() {
  await sendCheckpoints(deps);
  expect((await enclave.cosign()).status).toBe(200);
  const last = (await feedAfter({ after: 0, limit: 1_000 }, deps.db)).findLast(
    ({ kind }) => kind === 'checkpoint',
  );
  const keys = { [deps.keys.signing.kid]: publicHalf(deps.keys.signing) };
  const { payload } = await unseal('checkpoint', last?.jws ?? '', checkpointSchema, keys);
  return { ...payload, size: payload.oldSize + payload.leaves.length };
}

async function send(
  payload: unknown,
  key = grader,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const comparison = await seal('comparison', payload, key);
  const response = await gateway.call(await gateway.courierToken(), 'POST', '/airlock/comparisons', {
    comparison,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function get<T>(path: string): Promise<T> {
  const response = await gateway.call(null, 'GET', path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

const ranges = async (query = '') =>
  (await get<BoardTable>(`/seasons/pocket/board${query}`)).rows.flatMap(({ cells }) =>
    cells.wordmath?.kind === 'replayed' ? [cells.wordmath.rankRange] : [],
  );

let asked: Comparison;
let gradings: string[] = [];
let later: string;

beforeAll(async () => {
  expect((await enclave.holdSplits()).status).toBe(200);
  gradings = [await publishFinal(150), await publishFinal(149), await publishFinal(20)];
  const { ranked, size } = await signed();
  const [list] = ranked;
  if (list === undefined) throw new Error('a track is ranked');
  asked = {
    v: 1,
    aud: 'vtb-gateway',
    season: 'pocket',
    track: list.track,
    split: list.split,
    logSize: size,
    systems: list.gradings,
    verdicts: '=>>',
  };
});

describe('a comparison that does not answer a checkpoint’s list exactly is refused and leaves no trace:', () => {
  it.each<[string, () => Partial<Comparison>]>([
    ['a row less', () => ({ systems: gradings.slice(1), verdicts: '=' })],
    ['a row more', () => ({ systems: [...gradings, `grd_${'z'.repeat(20)}`], verdicts: '======' })],
    ['another order', () => ({ systems: gradings.toReversed() })],
    ['another track', () => ({ track: null })],
    ['another split', () => ({ split: sha256Hex('another') })],
    ['a verdict less', () => ({ verdicts: '=>' })],
    ['a checkpoint that was not', () => ({ logSize: asked.logSize + 1 })],
    ['another season', () => ({ season: 'elsewhere' })],
  ])('%s', async (_what, change) => {
    const size = await logSize('pocket', deps.db);
    const { status, body } = await send({ ...asked, ...change() });
    expect([status, body.code]).toEqual([422, 'message.invalid']);
    expect(await logSize('pocket', deps.db)).toBe(size);
    expect(await ranges()).toEqual([null, null, null]);
  });

  it('a key that is not pinned', async () => {
    expect((await send(asked, await newSigningKey())).status).toBe(422);
  });

  it('words beside the verdicts', async () => {
    expect((await send({ ...asked, sums: [1, 2, 3] })).status).toBe(422);
  });
});

describe('the comparison of what is ranked', () => {
  it('lists the ranked gradings best first', () => {
    expect(asked.systems).toEqual(gradings);
  });

  it('is kept once, with its leaf, its audit line, and the ranges on the board from then on', async () => {
    const before = await get<BoardTable>('/seasons/pocket/board');
    clock.at = new Date(clock.at.getTime() + 5_000);
    const size = await logSize('pocket', deps.db);
    expect(await send(asked)).toEqual({ status: 200, body: { accepted: true, again: false } });
    expect(await send(asked)).toEqual({ status: 200, body: { accepted: true, again: true } });
    expect(await logSize('pocket', deps.db)).toBe(size + 1);
    expect(await ranges()).toEqual([
      { low: 1, high: 2, withFirst: true },
      { low: 1, high: 2, withFirst: true },
      { low: 3, high: 3, withFirst: false },
    ]);
    expect(await ranges(`?asOf=${before.asOf}`)).toEqual([null, null, null]);
    later = clock.at.toISOString();
    const digest = sha256Hex(await seal('comparison', asked, grader));
    const log = await get<LogView>(`/log?season=pocket&from=${size}`);
    expect(leafSchema.parse(JSON.parse(log.leaves[0]?.text ?? ''))).toMatchObject({
      kind: 'comparison',
      track: 'wordmath',
      comparison: digest,
    });
    const lines = await auditPage({ before: null, subject: digest, limit: 5 }, deps.db);
    expect(lines.filter(({ act }) => act === 'comparison.accepted')).toMatchObject([
      { actor: 'grader', subject: digest },
    ]);
  });

  it('is public, with the message that the grader signed', async () => {
    const { comparison } = await get<ComparisonsView>('/comparisons/wordmath?season=pocket');
    expect(comparison).toMatchObject({
      logSize: asked.logSize,
      systems: gradings,
      verdicts: '=>>',
      jws: await seal('comparison', asked, grader),
    });
    expect(await get<ComparisonsView>('/comparisons/avg?season=pocket')).toMatchObject({
      track: null,
      comparison: null,
    });
    expect((await gateway.call(null, 'GET', '/comparisons/none?season=pocket')).status).toBe(404);
  });

  it('cannot be replaced by another one', async () => {
    const { status, body } = await send({ ...asked, verdicts: '>>>' });
    expect([status, body.code]).toEqual([409, 'message.conflict']);
  });

  it('makes one checkpoint more, which asks for the same rows and is the last', async () => {
    const { ranked } = await signed();
    expect(ranked.map((list) => list.gradings)).toEqual([gradings]);
    expect(await sendCheckpoints(deps)).toBe(0);
  });

  it('ends with the rows it is about: a new row has no range, and the past keeps its own', async () => {
    await publishFinal(100);
    expect(await ranges()).toEqual([null, null, null, null]);
    expect((await ranges(`?asOf=${later}`)).map((range) => range?.high)).toEqual([2, 2, 3]);
  });
});

it('Avg. is asked for by the gradings of complete rows, and shown by its own comparison', async () => {
  const { averaged, size } = await signed();
  const systems = averaged?.rows.map((row) => row.join('+')) ?? [];
  expect(systems).toHaveLength(4);
  expect(averaged?.tracks).toMatchObject([{ track: 'wordmath', split: asked.split }]);
  const verdicts = '>>>>>>';
  const sent = await send({ ...asked, track: null, split: null, logSize: size, systems, verdicts });
  expect(sent.status).toBe(200);
  const { rows } = await get<BoardTable>('/seasons/pocket/board');
  expect(rows.filter(({ kind }) => kind === 'entry').map(({ avg }) => avg?.rankRange)).toEqual(
    [1, 2, 3, 4].map((rank) => ({ low: rank, high: rank, withFirst: rank === 1 })),
  );
});

it('results on another split are asked for apart, not in Avg., and no range claims to compare across splits', async () => {
  const test = sha256Hex('a later split');
  expect((await enclave.holdSplits({ test })).status).toBe(200);
  const [one, two] = [await publishFinal(120), await publishFinal(110)];
  const { ranked, averaged, size } = await signed();
  expect(averaged).toBeUndefined();
  expect(ranked.map(({ split, gradings: some }) => [split, some.length])).toEqual([
    [asked.split, 4],
    [test, 2],
  ]);
  const sent = await send({ ...asked, split: test, logSize: size, systems: [one, two], verdicts: '=' });
  expect(sent.status).toBe(200);
  expect(await ranges()).toEqual(Array(6).fill(null));
});
