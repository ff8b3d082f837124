import { readResearchStories } from '@vtb/db/public/read/researchLog.ts';
import type { BoardTable } from '@vtb/protocol/board/table.ts';
import { newId } from '@vtb/protocol/ids.ts';
import { researchLogLimits } from '@vtb/protocol/researchLog/limits.ts';
import type { ResearchLine } from '@vtb/protocol/researchLog/line.ts';
import { lineDigest } from '@vtb/protocol/researchLog/lineDigest.ts';
import { researchTokens } from '@vtb/protocol/researchLog/researchTokens.ts';
import { anyLine, anyUsage } from '@vtb/protocol/researchLog/testKit.ts';
import type { ResearchPage } from '@vtb/protocol/wire/researchLog.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { releaseFinals } from '../sweeps/releaseFinals.ts';
import { newContest, newRun } from '../testing/contest.ts';
import { scored, testEnclave } from '../testing/testEnclave.ts';
import { testGateway } from '../testing/testGateway.ts';

const gateway = await testGateway();
const { deps, clock, call } = gateway;
const ours = await newContest(gateway);
const theirs = await newContest(gateway);

const textOf = (lines: readonly ResearchLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const send = (token: string, run: string, text: string | Uint8Array, type = 'application/jsonl') =>
  call(token, 'POST', `/runs/${run}/log`, Buffer.from(text), { 'content-type': type });
/** A run of our team's on a new entry, with the token of a member. */
const newRunOf = async () => {
  const { team, member } = ours;
  const entry = { team, season: 'pocket', agent: 'Agent', agentHarness: null };
  const { id } = await (await call(member.token, 'POST', '/entries', entry)).json();
  return { run: await newRun(gateway, member, id), token: member.token, account: member.account };
};
const page = async (token: string, run: string, query = ''): Promise<ResearchPage> => {
  const response = await call(token, 'GET', `/runs/${run}/log${query}`);
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
};
const auditOf = (run: string) =>
  deps.sql`SELECT actor, act, detail FROM audit WHERE subject = ${run} AND act = 'run.logged' ORDER BY id`;

const at = '2026-12-02T11:00:00.000Z';
const usage = (outputTokens: number | null, rest: object = {}): ResearchLine => ({
  ...{ kind: 'usage', at, model: 'kimi-k3', inputTokens: 10, cachedTokens: 0, outputTokens },
  ...rest,
});
const episode: ResearchLine = { kind: 'episode', activity: 'training', startedAt: at, endedAt: at };
const design: ResearchLine = { kind: 'design', id: 'd1', components: ['data'] };

describe('taking lines in', () => {
  test('keeps them in order, tells how many are new, and leaves an audit line', async () => {
    const { run, token, account } = await newRunOf();
    const response = await send(token, run, textOf([episode, design, usage(5)]));
    expect(response.status, await response.clone().text()).toBe(200);
    expect(await response.json()).toEqual({ run, added: 3, known: 0, lines: 3 });
    expect((await page(token, run)).lines.map(({ line }) => line)).toEqual([episode, design, usage(5)]);
    expect(await auditOf(run)).toMatchObject([
      { actor: account, act: 'run.logged', detail: { episode: 1, design: 1, usage: 1 } },
    ]);
  });

  test('twice is once; a grown file adds what is new', async () => {
    const { run, token } = await newRunOf();
    await send(token, run, textOf([episode, usage(5)]));
    const again = await send(token, run, textOf([usage(5), episode]));
    expect(await again.json()).toEqual({ run, added: 0, known: 2, lines: 2 });
    expect(await auditOf(run)).toHaveLength(1);
    const grown = await send(token, run, textOf([episode, usage(5), episode, design]));
    expect(await grown.json()).toEqual({ run, added: 1, known: 3, lines: 3 });
  });

  test('at once from many sides keeps every line once', async () => {
    const { run, token } = await newRunOf();
    const lines = Array.from({ length: 200 }, (_, number) => usage(number));
    const answers = await Promise.all(
      [lines, lines.toReversed(), lines.slice(50), lines].map(async (part) =>
        (await send(token, run, textOf(part))).json(),
      ),
    );
    expect(answers.reduce((sum, { added }) => sum + added, 0)).toBe(200);
    expect(await page(token, run, '?limit=1000')).toMatchObject({ next: null });
    expect((await page(token, run, '?limit=1000')).lines).toHaveLength(200);
  });

  test('any lines sent in any parts, any number of times, are there once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine, { minLength: 1, maxLength: 15 }), fc.nat(14), async (lines, cut) => {
        const { run, token } = await newRunOf();
        for (const part of [lines.slice(0, cut), lines, lines.slice(cut)])
          if (part.length > 0) expect((await send(token, run, textOf(part))).status).toBe(200);
        const kept = (await page(token, run)).lines.map(({ line }) => lineDigest(line));
        expect(kept.sort()).toEqual([...new Set(lines.map(lineDigest))].sort());
        expect(researchTokens((await page(token, run)).lines.map(({ line }) => line))).toEqual(
          researchTokens(lines),
        );
      }),
      { numRuns: 5 },
    );
  });

  test('is refused whole, with every problem and its line, when one line is bad', async () => {
    const { run, token } = await newRunOf();
    const other = `sub_${'b'.repeat(20)}`;
    const response = await send(
      token,
      run,
      textOf([episode, { ...design, submission: other } as ResearchLine]) +
        'no json\n' +
        textOf([usage(1, { at: '2027-01-01T00:00:00Z' })]),
    );
    expect(response.status).toBe(422);
    const problem = await response.json();
    expect(problem.code).toBe('researchLog.invalid');
    expect(problem.problems.map((one: { at: string }) => one.at)).toEqual([
      'line 3',
      'line 2 submission',
      'line 4 at',
    ]);
    expect((await page(token, run)).lines).toEqual([]);
    expect(await auditOf(run)).toEqual([]);
  });

  test.each([
    ['another content type', textOf([episode]), 'application/json', 400, 'request.invalid'],
    ['broken UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'application/jsonl', 400, 'request.invalid'],
    [
      'more bytes than a request takes',
      ' '.repeat(researchLogLimits.requestBytesMax + 1),
      'application/jsonl',
      413,
      'request.tooLarge',
    ],
    [
      'more lines than a request takes',

      textOf(Array.from({ length: researchLogLimits.requestLinesMax + 1 }, (_, n) => usage(n))),
      'application/jsonl',
      422,
      'researchLog.invalid',
    ],
  ])('refuses %s', async (_, body, type, status, code) => {
    const response = await send(ours.member.token, ours.run, body, type);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
    expect((await page(ours.member.token, ours.run)).lines).toEqual([]);
  });

  test('is for the run’s team: others don’t find it, maintainers only read', async () => {
    expect((await send(theirs.owner.token, ours.run, textOf([episode]))).status).toBe(404);
    expect((await call(theirs.owner.token, 'GET', `/runs/${ours.run}/log`)).status).toBe(404);
    const maintainer = await gateway.person({ maintainer: true });
    expect((await send(maintainer.token, ours.run, textOf([episode]))).status).toBe(403);
    expect((await page(maintainer.token, ours.run)).lines).toEqual([]);
  });

  test('can’t be changed or taken back, not even by the database’s owner', async () => {
    const { run, token } = await newRunOf();
    await send(token, run, textOf([usage(7)]));
    for (const act of [
      'UPDATE research_log SET line = NULL',
      'DELETE FROM research_totals',
      'TRUNCATE research_log',
    ])
      await expect(deps.sql.unsafe(act)).rejects.toThrow(/permission denied|only ever grows/);
  });
});

test('pages go on where the last one ended', async () => {
  const { run, token } = await newRunOf();
  const lines = Array.from({ length: 7 }, (_, number) => usage(number));
  await send(token, run, textOf(lines));
  const read: ResearchLine[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { lines: some, next }: ResearchPage = await page(token, run, `?limit=3&after=${after}`);
    expect(some.length).toBeLessThanOrEqual(3);
    read.push(...some.map(({ line }) => line));
    after = next;
  }
  expect(read).toEqual(lines);
});

test('the total written down is the one that the log’s lines give, whatever they are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyUsage, { minLength: 1, maxLength: 12 }), fc.nat(11), async (lines, cut) => {
      const { run, token } = await newRunOf();
      for (const part of [lines.slice(0, cut), lines])
        if (part.length > 0) expect((await send(token, run, textOf(part))).status).toBe(200);
      const [row] = await deps.sql`
        SELECT generated_tokens FROM research_totals WHERE run = ${run} ORDER BY number DESC LIMIT 1`;
      const said = row?.generated_tokens ?? null;
      expect(said === null ? null : Number(said)).toBe(researchTokens(lines).total?.outputTokens ?? null);
    }),
    { numRuns: 8 },
  );
});

describe('the board', () => {
  const enclave = testEnclave(gateway);
  const board = async (asOf?: Date): Promise<BoardTable> =>
    (
      await call(
        null,
        'GET',
        `/seasons/pocket/board${asOf === undefined ? '' : `?asOf=${asOf.toISOString()}`}`,
      )
    ).json();
  const tokensOf = async (entry: string, asOf?: Date) =>
    (await board(asOf)).rows.find(({ id }) => id === entry)?.researchTokens;
  const later = (ms: number) => {
    clock.at = new Date(clock.at.getTime() + ms);
    return clock.at;
  };

  test('shows declared tokens once the final is published, and past boards stay as they were', async () => {
    await enclave.holdSplits();
    const final = await enclave.queued();
    const member = await gateway.person({ team: final.team });
    const order = await enclave.lastOrder(final.id);
    await enclave.deliver(await enclave.report(order, scored(150)));
    await send(member.token, final.run, textOf([usage(100), design]));
    const story = () => readResearchStories({ entry: final.entry, asOf: clock.at }, deps.db);
    expect(await story(), 'nothing is told before the final is published').toEqual([]);
    later(10_000);
    expect(await releaseFinals(deps)).toBe(1);
    expect(await tokensOf(final.entry)).toBe(100);
    expect(await story()).toMatchObject([
      { run: final.run, tokens: { total: { outputTokens: 100 } }, designs: [{ id: 'd1' }] },
    ]);

    const before = later(1_000);
    later(1_000);
    const version = await boardVersion();
    await send(member.token, final.run, textOf([usage(100), usage(23)]));
    expect(await boardVersion()).toBe(version + 1);
    later(1_000);
    expect(await tokensOf(final.entry)).toBe(123);
    expect(await tokensOf(final.entry, before)).toBe(100);

    await send(member.token, final.run, textOf([usage(100), episode]));
    expect(await boardVersion(), 'nothing that the board shows has changed').toBe(version + 1);
    await send(member.token, final.run, textOf([usage(null)]));
    later(1_000);
    expect(await tokensOf(final.entry), 'an unknown part makes the sum unknown').toBeNull();
  });

  test('shows nothing where nothing is declared', async () => {
    const final = await enclave.queued();
    await enclave.deliver(await enclave.report(await enclave.lastOrder(final.id), scored(20)));
    later(10_000);
    await releaseFinals(deps);
    expect(await tokensOf(final.entry)).toBeNull();
  });

  async function boardVersion(): Promise<number> {
    const [row] = await deps.sql`SELECT board_version FROM seasons WHERE id = 'pocket'`;
    return Number(row?.board_version);
  }
});

test('a run that isn’t there has no log', async () => {
  const missing = newId('run', deps.random(20));
  expect((await send(ours.member.token, missing, textOf([episode]))).status).toBe(404);
});
